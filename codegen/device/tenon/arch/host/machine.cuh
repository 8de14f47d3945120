// What a kernel on the host and the emulator that runs it know of each other.
#pragma once

#include <tenon/arch/integers.cuh>

namespace tenon {

/// Pointers to global and shared memory carry the number of their piece of memory above the address. So one that strays
/// into another piece is found, and one used without a primitive is no address at all.
inline constexpr int kEmulatedTagShift = 48;
inline constexpr uint64 kEmulatedTags = 256;
/// Tags from here on are shared memory: of block 0, 1, … of the cluster.
inline constexpr uint64 kEmulatedSharedTag = 0xc0;

/// A piece of global memory the kernel was given; none has 0 bytes.
struct EmulatedSpan {
    uint64 begin;  ///< With the tag.
    uint64 bytes;
    bool written;
};

/// The thread that runs.
struct EmulatedThread {
    uint32 index;
    uint32 block_index[3];
};

enum class EmulatedAccess { Read, Write, Atomic };

/// What all lanes of a warp do together; lanes that meet at different operations are reported.
enum class EmulatedWarpOperation { Barrier, Shuffle, Vote, Elect, LoadMatrices, StoreMatrices, Multiply };

/// The products of mma.sync: by operand type, and for bytes by the signs of a and b.
enum class EmulatedProduct { Half, HalfK8, Bfloat16, Tf32, SignedSigned, SignedUnsigned, UnsignedSigned, UnsignedUnsigned };

/// Operand types of products of a warpgroup.
enum class EmulatedOperand { Half, Bfloat16, Tf32 };

/// The hardware, as far as a kernel needs more of it than the processor it runs on. Functions that report a fault do not
/// come back.
struct EmulatedMachine {
    const EmulatedSpan* spans = nullptr;  ///< By tag.
    const EmulatedThread* thread = nullptr;
    uint32 grid[3] = {1, 1, 1};

    /// Reports an access to global memory that is not sound.
    [[noreturn]] virtual void refuse_access(const void* address, uint32 bytes, uint32 alignment, EmulatedAccess access) = 0;
    /// Lets other threads go on; for threads that wait by reading global memory again and again.
    virtual void yield() = 0;

    virtual void barrier(uint32 id, uint32 threads, bool waits) = 0;  ///< `threads` 0: the whole block.
    virtual uint8* shared_memory() = 0;
    virtual uint32 shared_address(const void* pointer) = 0;
    /// The bytes themselves, after the access was checked.
    virtual uint8* shared(const void* address, uint32 bytes, uint32 alignment, EmulatedAccess access) = 0;

    virtual void warp_barrier() = 0;
    /// Waits for all lanes; returns what each gave, kEmulatedSlot bytes apart. It stays until the warp's next exchange but
    /// one.
    virtual const uint8* exchange(EmulatedWarpOperation operation, const void* value, uint32 bytes) = 0;

    virtual void load_matrices(uint32* matrix, const void* row, uint32 count, bool transposed) = 0;
    virtual void store_matrices(void* row, const uint32* matrix, bool transposed) = 0;
    /// c holds four floats or integers.
    virtual void multiply(EmulatedProduct product, void* c, const uint32* a, const uint32* b) = 0;

    virtual void start_copy(void* to, const void* from, uint32 bytes, bool valid) = 0;
    virtual void commit_copies() = 0;
    virtual void wait_copies(uint32 pending) = 0;

    virtual void init_mbarrier(void* barrier, uint32 arrivals) = 0;
    virtual void fence_mbarriers() = 0;
    /// At the barrier of the same name in block `rank` of the cluster; -1 is the own block.
    virtual void arrive_at_mbarrier(void* barrier, uint32 expected_bytes, int32 rank) = 0;
    virtual void wait_for_mbarrier(void* barrier, uint32 parity) = 0;

    // `map` is a kernel parameter; coordinates and taps begin with the innermost axis.
    virtual void load_box(void* to, const void* map, void* barrier, const int32* coordinates, uint32 rank) = 0;
    virtual void load_pixels(void* to, const void* map, void* barrier, const int32* coordinates, const uint16* taps) = 0;
    virtual void load_bytes(void* to, const void* from, uint32 bytes, void* barrier) = 0;
    virtual void store_box(const void* map, const void* from, const int32* coordinates, uint32 rank) = 0;
    virtual void commit_stores() = 0;
    virtual void wait_stores(uint32 pending, bool only_reads) = 0;
    virtual void fence_async() = 0;

    virtual void fence_warpgroup() = 0;
    /// c has columns / 2 floats.
    /// a is a descriptor, or the thread's `fragment` if that is not null.
    virtual void start_product(EmulatedOperand operand, uint32 columns, float* c, uint64 a, const uint32* fragment, uint64 b,
                               bool is_b_transposed, bool accumulate) = 0;
    virtual void commit_products() = 0;
    virtual void wait_products(uint32 pending) = 0;
    virtual void set_registers(uint32 count) = 0;

    virtual uint32 cluster_rank() = 0;
    virtual void arrive_at_cluster_barrier() = 0;
    virtual void wait_for_cluster_barrier() = 0;
    virtual void* remote_shared(const void* local, uint32 rank) = 0;

  protected:
    ~EmulatedMachine() = default;
};
inline constexpr uint32 kEmulatedSlot = 64;

/// What the shared object of a kernel exports.
struct EmulatedKernel {
    void (*bind)(EmulatedMachine* machine);  ///< Before `call`; one machine at a time.
    void (*call)(void** arguments);          ///< Runs one thread; argument i is stored where arguments[i] points.
};

}  // namespace tenon
