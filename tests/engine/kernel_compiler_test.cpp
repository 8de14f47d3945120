// Caches and threads around a compiler of the test's own: no NVRTC is needed to see what it is asked.

#include "engine/kernel_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/compiler.h"
#include "tests/engine/fake_nvrtc.h"
#include "tests/support/temporary_folder.h"

namespace tenon::engine::test {
namespace {

using tenon::test::TemporaryFolder;
using testing::HasSubstr;
using testing::SizeIs;

codegen::KernelSource source(const std::string& name, const std::string& text = "text") {
    codegen::KernelSource kernel;
    kernel.name = name;
    kernel.text = text;
    return kernel;
}

/// Kernels of different texts, and pointers to them.
struct Sources {
    explicit Sources(int count) {
        for (int i = 0; i < count; ++i) owned.push_back(source("k" + std::to_string(i), std::to_string(i)));
        for (const codegen::KernelSource& kernel : owned) pointers.push_back(&kernel);
    }
    std::vector<codegen::KernelSource> owned;
    std::vector<const codegen::KernelSource*> pointers;
};

TEST(KernelKey, HoldsEverythingThatDecidesTheBinaryAndNothingElse) {
    const Nvrtc nvrtc = fake_nvrtc();
    const std::string key = kernel_key(nvrtc, source("a", "text"), "sm_90a");
    EXPECT_EQ(kernel_key(nvrtc, source("another name", "text"), "sm_90a"), key);
    EXPECT_NE(kernel_key(nvrtc, source("a", "text "), "sm_90a"), key);
    EXPECT_NE(kernel_key(nvrtc, source("a", "text"), "sm_90"), key);
    fake_compiler().minor = 1;
    EXPECT_NE(kernel_key(nvrtc, source("a", "text"), "sm_90a"), key);
    EXPECT_THAT(key, HasSubstr("--fmad=false"));
    EXPECT_THAT(key, HasSubstr("library "));
}

TEST(KernelCompiler, CompilesOnceAndReadsTheReport) {
    KernelCompiler compiler({}, fake_nvrtc());
    for (int i = 0; i < 3; ++i) {
        const Result<KernelPtr> kernel = compiler.kernel(source("a"), "sm_90a");
        ASSERT_TRUE(kernel.is_ok()) << kernel.status().message();
        EXPECT_EQ((*kernel)->image, "cubin sm_90a\ntext");
        EXPECT_EQ((*kernel)->registers, 40);
        EXPECT_EQ((*kernel)->spill_bytes, 16);
        EXPECT_EQ((*kernel)->static_shared_bytes, 2048);
    }
    EXPECT_EQ(fake_compiler().compilations, 1);
    EXPECT_EQ((*compiler.kernel(source("a"), "compute_90"))->image, "PTX compute_90\ntext");
}

TEST(KernelCompiler, AnotherProcessFindsItOnDisk) {
    const TemporaryFolder folder;
    Settings settings;
    settings.cache_folder = folder.path();
    const Nvrtc nvrtc = fake_nvrtc();
    ASSERT_TRUE(KernelCompiler(settings, nvrtc).kernel(source("a"), "sm_90a").is_ok());
    settings.strict = true;  // what is on disk need not be compiled
    KernelCompiler later(settings, nvrtc);
    const Result<KernelPtr> kernel = later.kernel(source("a"), "sm_90a");
    ASSERT_TRUE(kernel.is_ok()) << kernel.status().message();
    EXPECT_EQ((*kernel)->registers, 40);
    EXPECT_EQ(later.disk_hits(), 1);
    EXPECT_EQ(later.compiled_count(), 0);
    EXPECT_EQ(fake_compiler().compilations, 1);
}

TEST(KernelCompiler, case_49_HashesThatAllCollideGiveTheRightKernel) {
    const TemporaryFolder folder;
    Settings settings;
    settings.cache_folder = folder.path();
    settings.memory_kernels = 0;
    KernelCompiler compiler(settings, fake_nvrtc(), [](std::string_view) { return std::string("same"); });
    for (int round = 0; round < 2; ++round) {
        for (const char* text : {"y = 1 * x", "y = 2 * x"})
            EXPECT_THAT((*compiler.kernel(source("a", text), "sm_90a"))->image, HasSubstr(text));
    }
}

TEST(KernelCompiler, AStrictOneNeverCompiles) {
    Settings settings;
    settings.strict = true;
    KernelCompiler compiler(settings, fake_nvrtc());
    const Status status = compiler.kernel(source("conv"), "sm_90a").status();
    EXPECT_EQ(status.code(), ErrorCode::NotFound);
    EXPECT_THAT(status.message(), HasSubstr("conv for sm_90a"));
    EXPECT_EQ(fake_compiler().compilations, 0);
}

TEST(KernelCompiler, CompilesSeveralAtOnceButNoMoreThanItMay) {
    Settings settings;
    settings.threads = 3;
    KernelCompiler compiler(settings, fake_nvrtc());
    fake_compiler().milliseconds = 10;
    const Sources first(9);
    std::thread other([&] { EXPECT_TRUE(compiler.kernels(first.pointers, "sm_80").is_ok()); });
    const Result<std::vector<KernelPtr>> kernels = compiler.kernels(first.pointers, "sm_90a");
    other.join();
    ASSERT_TRUE(kernels.is_ok());
    for (int i = 0; i < 9; ++i)
        EXPECT_EQ((*kernels)[static_cast<size_t>(i)]->image, "cubin sm_90a\n" + std::to_string(i));
    EXPECT_EQ(fake_compiler().compilations, 18);
    EXPECT_LE(fake_compiler().most_at_once, 3);
    EXPECT_GT(fake_compiler().most_at_once, 1);
}

TEST(KernelCompiler, ACallThatCancelsGetsCancelled) {
    Settings settings;
    settings.threads = 1;
    std::vector<std::string> seen;
    settings.progress = [&](const Progress& progress) {
        seen.push_back(std::string(progress.what) + " " + std::to_string(progress.done) + "/" +
                       std::to_string(progress.total));
        return progress.done < 2;
    };
    KernelCompiler compiler(settings, fake_nvrtc());
    const Sources sources(5);
    const Status status = compiler.kernels(sources.pointers, "sm_90a").status();
    EXPECT_EQ(status.code(), ErrorCode::Cancelled);
    EXPECT_THAT(seen, testing::ElementsAre("k0 1/5", "k1 2/5"));
    EXPECT_EQ(fake_compiler().compilations, 2);
}

TEST(KernelCompiler, AFailureNamesKernelArchitectureAndFirstError) {
    KernelCompiler compiler({}, fake_nvrtc());
    fake_compiler().result = NVRTC_ERROR_COMPILATION;
    fake_compiler().log = "conv.cu(3): warning: hm\nconv.cu(4): error: no such thing\nconv.cu(5): error: more\n";
    const Sources sources(3);
    const Status status = compiler.kernels(sources.pointers, "sm_90a").status();
    EXPECT_EQ(status.code(), ErrorCode::CompileFailed);
    EXPECT_THAT(status.message(), HasSubstr("k0 for sm_90a"));
    EXPECT_THAT(status.message(), HasSubstr("conv.cu(4): error: no such thing"));
    fake_compiler().result = NVRTC_SUCCESS;
    EXPECT_TRUE(compiler.kernels(sources.pointers, "sm_90a").is_ok());
}

TEST(KernelCompiler, case_62_ArchitecturesNvrtcDoesNotKnow) {
    const Nvrtc nvrtc = fake_nvrtc();
    EXPECT_EQ(*architecture_for(nvrtc, 80), "sm_80");
    EXPECT_EQ(*architecture_for(nvrtc, 90), "sm_90a");
    EXPECT_EQ(*architecture_for(nvrtc, 86), "compute_80");
    EXPECT_EQ(*architecture_for(nvrtc, 990), "compute_120");
    const Status older = architecture_for(nvrtc, 50).status();
    EXPECT_EQ(older.code(), ErrorCode::Unsupported);
    EXPECT_THAT(older.message(), HasSubstr("compute capability 50, NVRTC 13.0 knows 75 80 90 120"));
}

TEST(KernelCompiler, case_62_AMissingNvrtcIsNotFoundByName) {
    Settings settings;
    settings.nvrtc = "/no/such/libnvrtc.so";
    KernelCompiler compiler(settings);
    const Status status = compiler.kernel(source("a"), "sm_90a").status();
    EXPECT_EQ(status.code(), ErrorCode::NotFound);
    EXPECT_THAT(status.message(), HasSubstr("/no/such/libnvrtc.so"));
}

TEST(KernelCompiler, case_73_ManyShapesDoNotFillTheMemory) {
    Settings settings;
    settings.memory_kernels = 64;
    settings.threads = 8;
    KernelCompiler compiler(settings, fake_nvrtc());
    const Sources sources(4000);
    const Result<std::vector<KernelPtr>> kernels = compiler.kernels(sources.pointers, "sm_90a");
    ASSERT_TRUE(kernels.is_ok());
    EXPECT_LE(compiler.remembered(), 64u);
    EXPECT_EQ((*compiler.kernel(sources.owned[0], "sm_90a"))->image, "cubin sm_90a\n0");
    EXPECT_LE(compiler.remembered(), 64u);
    EXPECT_EQ((*kernels)[3999]->image, "cubin sm_90a\n3999");
}

TEST(KernelCompiler, case_70_ThreadsThatAskForOneKernelCompileItOnce) {
    KernelCompiler compiler({}, fake_nvrtc());
    fake_compiler().milliseconds = 20;
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] { right += compiler.kernel(source("a"), "sm_90a").is_ok() ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 8);
    EXPECT_EQ(fake_compiler().compilations, 1);
}

TEST(Settings, TheEnvironmentNamesTheFolder) {
    const auto folder = [](const char* cache, const char* xdg, const char* home) {
        const std::pair<const char*, const char*> values[] = {
            {"TENON_CACHE_DIR", cache}, {"XDG_CACHE_HOME", xdg}, {"HOME", home}};
        for (const auto& [name, value] : values) {
            if (value != nullptr) setenv(name, value, 1);
            if (value == nullptr) unsetenv(name);
        }
        return Settings::from_environment().cache_folder;
    };
    EXPECT_EQ(folder("/cache", "/xdg", "/home/me"), "/cache");
    EXPECT_EQ(folder("", "/xdg", "/home/me"), "");
    EXPECT_EQ(folder(nullptr, "/xdg", "/home/me"), "/xdg/tenon");
    EXPECT_EQ(folder(nullptr, nullptr, "/home/me"), "/home/me/.cache/tenon");
    EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
}

}  // namespace
}  // namespace tenon::engine::test
