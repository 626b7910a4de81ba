#include "objects/messaging/message_exchange.hpp"
