// SPDX-License-Identifier: Apache-2.0
// Macros of StarPU's headers, as a program in C++ uses them; macros_in_c.c has them in C.
#include <gmock/gmock.h>
#include <starpu.h>

#include <cerrno>
#include <string>

extern "C" {
void CheckVectorInC(void* interface);
int OldNamesInC(void);
}

namespace {

using ::testing::HasSubstr;

STARPU_STATIC_ASSERT(STARPU_WORKER_TO_MASK(STARPU_CPU_WORKER) == STARPU_CPU);

TEST(Macros, ChecksAcceptTheirOwnKindOfData) {
  starpu_variable_interface variable = {};
  variable.id = STARPU_VARIABLE_INTERFACE_ID;
  STARPU_VARIABLE_CHECK(&variable);
  starpu_vector_interface vector = {};
  vector.id = STARPU_VECTOR_INTERFACE_ID;
  STARPU_VECTOR_CHECK(&vector);
  CheckVectorInC(&vector);
  starpu_matrix_interface matrix = {};
  matrix.id = STARPU_MATRIX_INTERFACE_ID;
  STARPU_MATRIX_CHECK(&matrix);
  starpu_block_interface block = {};
  block.id = STARPU_BLOCK_INTERFACE_ID;
  STARPU_BLOCK_CHECK(&block);
  starpu_tensor_interface tensor = {};
  tensor.id = STARPU_TENSOR_INTERFACE_ID;
  STARPU_TENSOR_CHECK(&tensor);
  starpu_ndim_interface array = {};
  array.id = STARPU_NDIM_INTERFACE_ID;
  STARPU_NDIM_CHECK(&array);
}

TEST(Macros, ChecksEndTheProgramForOtherData) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  starpu_vector_interface vector = {};
  vector.id = STARPU_VECTOR_INTERFACE_ID;
  starpu_matrix_interface matrix = {};
  matrix.id = STARPU_MATRIX_INTERFACE_ID;
  EXPECT_DEATH(STARPU_MATRIX_CHECK(&vector), "macros_test.cc.*the data are no matrix");
  EXPECT_DEATH(CheckVectorInC(&matrix), "macros_in_c.c.*the data are no vector");
}

TEST(Macros, EachKindOfWorkerHasItsBit) {
  EXPECT_EQ(STARPU_CUDA, STARPU_WORKER_TO_MASK(STARPU_CUDA_WORKER));
  EXPECT_EQ(STARPU_OPENCL, STARPU_WORKER_TO_MASK(STARPU_OPENCL_WORKER));
  EXPECT_EQ(STARPU_MPI_MS, STARPU_WORKER_TO_MASK(STARPU_MPI_MS_WORKER));
  EXPECT_EQ(STARPU_TCPIP_MS, STARPU_WORKER_TO_MASK(STARPU_TCPIP_MS_WORKER));
  EXPECT_EQ(STARPU_HIP, STARPU_WORKER_TO_MASK(STARPU_HIP_WORKER));
  EXPECT_EQ(STARPU_MAX_FPGA, STARPU_WORKER_TO_MASK(STARPU_MAX_FPGA_WORKER));
  EXPECT_EQ(0u, STARPU_WORKER_TO_MASK(STARPU_ANY_WORKER));
}

TEST(Macros, TextsOfErrorsFitTheirBuffer) {
  char whole[100], cut[3];
  starpu_strerror_r(ENOENT, whole, sizeof(whole));
  EXPECT_STREQ("No such file or directory", whole);
  starpu_strerror_r(ENOENT, cut, sizeof(cut));
  EXPECT_STREQ("No", cut);
}

TEST(Macros, TheCallsOfAThreadArePrinted) {
  ::testing::internal::CaptureStderr();
  STARPU_DUMP_BACKTRACE();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("macros_test"));
}

TEST(Macros, OldNamesAreThereForProgramsThatAskForThem) { EXPECT_EQ(1, OldNamesInC()); }

}  // namespace
