#pragma once
namespace plimsoll::inline v0_1::objects {}
