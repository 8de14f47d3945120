#pragma once

#include <tenon/compiler.h>
#include <tenon/graph.h>
#include <tenon/json.h>
#include <tenon/ops.h>
#include <tenon/plan.h>
#include <tenon/pointwise.h>
#include <tenon/settings.h>
#include <tenon/status.h>
#include <tenon/target.h>
#include <tenon/types.h>
#include <tenon/version.h>
