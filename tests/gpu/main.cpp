#include <gtest/gtest.h>

#include "tests/gpu/device.h"
#include "tests/support/run.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    tenon::test::stand_in_for_emulator(&tenon::test::run_on_gpu);
    return RUN_ALL_TESTS();
}
