#include "objects/messaging/quiescence.hpp"
