// SPDX-License-Identifier: Apache-2.0
// StarPU's files of perfmodels, read and written.
#include "perfmodel/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/perfmodel/real_files.h"

namespace tasklens {
namespace {

using testing::FileText;
using testing::kPerfmodels;

const std::string kGemm = kPerfmodels + "sampling/codelets/45/demo_cholesky_gemm.node0";

PerfmodelFile Parsed(const std::string& path) {
  Result<PerfmodelFile> file = ReadPerfmodel(path);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? std::move(*file) : PerfmodelFile();
}

std::string MessageOf(const std::string& text) {
  const Result<PerfmodelFile> file = ParsePerfmodel(text, "m.host");
  EXPECT_FALSE(file.ok());
  return file.status().message();
}

bool IsModel(const std::string& path) { return path.find("codelets/45/") != std::string::npos; }

TEST(PerfmodelFile, WritesWhatStarPUWroteByteForByte) {
  auto files = testing::FilesBelow("sampling");
  files.merge(testing::FilesBelow("sampling_1_3"));
  std::erase_if(files, [](const auto& file) { return !IsModel(file.first); });
  EXPECT_EQ(files.size(), 13u);
  for (const auto& [path, text] : files) EXPECT_EQ(PerfmodelText(Parsed(path)), text) << path;
}

// Comments and numbers, whatever is between them.
std::string Words(const std::string& text) {
  std::istringstream in(text);
  std::string words;
  for (std::string word; in >> word;) words += word + ' ';
  return words;
}

// Scripts have edited most of them since StarPU wrote them, and left their marks in the blanks.
TEST(PerfmodelFile, WritesThePublishedModelsWordForWord) {
  size_t models = 0, broken = 0;
  for (const auto& [path, text] : testing::PublishedFiles()) {
    if (!IsModel(path)) continue;
    ++models;
    const Result<PerfmodelFile> file = ParsePerfmodel(text, path);
    if (!file.ok()) {  // lines of it are interchanged; StarPU's tools abort
      EXPECT_TRUE(path.starts_with("codelets/45/starpu_dlu_lu_model_22")) << path;
      EXPECT_EQ(file.status().message(),
                path + ": line 274: these are not the numbers a, b, c of a regression");
      ++broken;
      continue;
    }
    const std::string written = PerfmodelText(*file);
    // (One announces fewer combinations than it has.)
    EXPECT_EQ(Words(written), Words(text).substr(0, Words(written).size())) << path;
  }
  EXPECT_EQ(models, 201u);
  EXPECT_EQ(broken, 4u);
}

TEST(PerfmodelFile, KnowsWhatTheNumbersMean) {
  const PerfmodelFile file = Parsed(kGemm);
  ASSERT_EQ(file.model.combinations.size(), 1u);
  const PerfmodelCombination& combination = file.model.combinations[0];
  EXPECT_EQ(combination.devices, (std::vector<PerfmodelDevice>{{kCpuDevice, 0, 1}}));
  ASSERT_EQ(combination.implementations.size(), 1u);
  ASSERT_EQ(combination.implementations[0].entries.size(), 3u);
  const PerfmodelEntry& entry = combination.implementations[0].entries[0];
  EXPECT_EQ(entry.footprint, 0x002796b7u);
  EXPECT_EQ(entry.size_bytes, 27648u);
  EXPECT_DOUBLE_EQ(entry.flops, 221184);
  EXPECT_DOUBLE_EQ(entry.mean, 67.80459);
  EXPECT_DOUBLE_EQ(entry.deviation, 9.114191);
  EXPECT_DOUBLE_EQ(entry.sum, 1966.333);
  EXPECT_DOUBLE_EQ(entry.sum2, 135735.4);
  EXPECT_EQ(entry.samples, 29u);
}

TEST(PerfmodelFile, KnowsTheTermsOfAMultipleRegression) {
  const PerfmodelFile file = Parsed(kPerfmodels + "sampling_1_3/codelets/45/my_mlr.node0");
  const MultipleRegression& multiple = file.model.combinations[0].implementations[0].multiple;
  EXPECT_EQ(multiple.terms, (std::vector<std::string>{"M^2*N", "N^3*K"}));
  EXPECT_EQ(multiple.coefficients, (std::vector<double>{0, 0, 0}));
}

TEST(PerfmodelFile, WritesSeveralDevicesImplementationsAndCoefficients) {
  PerfmodelFile file;
  PerfmodelCombination& combination = file.model.combinations.emplace_back();
  combination.number = 7;
  combination.devices = {{kCpuDevice, 0, 4}, {kCudaDevice, 2, 1}};
  combination.implementations.resize(2);
  combination.implementations[0].multiple = {{"A", "B*C"}, {1, 2.5, NAN}};
  combination.implementations[1].entries = {{.footprint = 0xabc, .flops = NAN, .samples = 3}};
  const std::string text = PerfmodelText(file);
  EXPECT_NE(text.find("# Model for cpu0_cuda2_impl1 (Comb7)\n"), std::string::npos);
  EXPECT_NE(text.find("00000abc\t0              \tnan            \t"), std::string::npos);
  const Result<PerfmodelFile> again = ParsePerfmodel(text, "m");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(PerfmodelText(*again), text);
  EXPECT_EQ(again->model.combinations[0].devices, combination.devices);
  EXPECT_EQ(again->model.combinations[0].number, 7);
}

TEST(PerfmodelFile, TakesEntriesWithoutFlops) {
  std::string text = FileText(kGemm);
  const std::string with = "\t2.211840e+05   ";
  text.erase(text.find(with), with.size());
  EXPECT_FALSE(ParsePerfmodel(text, "m").ok()) << "the heading tells of flops";
  text.erase(text.find("\t\tflops"), 7);
  const Result<PerfmodelFile> file = ParsePerfmodel(text, "m");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->model.combinations[0].implementations[0].entries[0].flops, 0);
}

TEST(PerfmodelFile, SaysWhereAFileIsWrong) {
  EXPECT_EQ(MessageOf(""), "m.host: ends after line 0, before the version");
  EXPECT_EQ(MessageOf("44\n0\n"),
            "m.host: line 1: version 44 of the format; StarPU 1.2 and later write 45");
  EXPECT_EQ(MessageOf("45\nmany\n"), "m.host: line 2: this is not the number of combinations");
  EXPECT_EQ(MessageOf("45\n4000000000\n"),
            "m.host: ends after line 2, before the number of devices of a combination");
  std::string text = FileText(kGemm);
  text.replace(text.find("\t29\n"), 4, "\tsome\n");
  EXPECT_EQ(MessageOf(text), "m.host: line 39: these are not the eight numbers of an entry");
}

TEST(PerfmodelFile, EndsWithAMessageWhereverAFileIsCut) {
  const std::string text = FileText(kGemm);
  const size_t end = text.rfind("73\n");  // the last number may lose digits and stay one
  for (size_t n = 0; n < end; ++n)
    EXPECT_FALSE(ParsePerfmodel(text.substr(0, n), "m").ok()) << n << " bytes";
}

TEST(PerfmodelFile, MakesItsFoldersAndReplacesTheWholeFile) {
  const std::string path = ::testing::TempDir() + "/new/codelets/45/m.host";
  const PerfmodelFile large = Parsed(kGemm);
  for (const PerfmodelFile& file : {large, PerfmodelFile()}) {
    ASSERT_TRUE(WritePerfmodel(path, file).ok());
    EXPECT_EQ(FileText(path), PerfmodelText(file));
  }
}

TEST(PerfmodelFile, RefusesWhatIsNoFile) {
  const std::string folder = ::testing::TempDir() + "/folder";
  mkdir(folder.c_str(), 0700);
  EXPECT_EQ(ReadPerfmodel(folder).status().message(), folder + ": is not a file");
  const std::string pipe = folder + "/pipe";
  mkfifo(pipe.c_str(), 0600);
  EXPECT_EQ(ReadPerfmodel(pipe).status().message(), pipe + ": is not a file");
  EXPECT_EQ(ReadPerfmodel(folder + "/none").status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tasklens
