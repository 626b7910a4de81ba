#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "pelayout/timing/timing_text.hpp"

// Tests the formats in which CESM1, CESM2, E3SM and CMEPS write the same values.

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::replaced;
using plimsoll::testing::TimingText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Format of the Perl script of CESM 1.1 and 1.2: initial and intermediate blank lines, "CCSM", a different
// order, no ESP.
TEST(TimingFileParser, ReadsCesm1Files) {
  const TimingFile file = parse_timing_file(R"(
---------------- CCSM TIMING PROFILE ---------------------

  Case        : b40.1850
  LID         : 140228-101010
  Machine     : yellowstone
  Caseroot    : /glade/b40.1850
  Timeroot    : /glade/b40.1850/Tools
  CCSM User   : modeller
  CCSM Tag    : cesm1_2_0  (best guess)
  Curr Date   : Fri Feb 28 10:20:30 2014

  grid        : a%0.9x1.25_l%0.9x1.25_oi%gx1v6_r%r05_m%gx1v6_g%null_w%null
  compset     : 1850_CAM4_CLM40%CN_CICE_POP2_RTM_SGLC_SWAV
  run_type    : hybrid, continue_run = FALSE (inittype = TRUE)
  stop_option : nmonths, stop_n = 1
  run_length  : 31 days (30 for ocean)



  component       comp_pes    root_pe   tasks  x threads instances (stride) 
  ---------        ------     -------   ------   ------  ---------  ------  
  cpl = cpl        900         0        450    x 2       1      (1     ) 
  glc = sglc       2           0        1      x 2       1      (1     ) 
  wav = swav       2           0        1      x 2       1      (1     ) 
  lnd = clm        180         0        90     x 2       1      (1     ) 
  rof = rtm        180         0        90     x 2       1      (1     ) 
  ice = cice       720         90       360    x 2       1      (1     ) 
  atm = cam        900         0        450    x 2       1      (1     ) 
  ocn = pop2       120         450      60     x 2       1      (1     ) 

  total pes active           : 1020 
  pes per node               : 30 
  pe count for cost estimate : 1020 

  Overall Metrics: 
    Model Cost:             327.14   pe-hrs/simulated_year  (scale= 0.50)
    Model Throughput:         4.70   simulated_years/day 

    Init Time   :      52.345 seconds 
    Run Time    :    1564.700 seconds       50.474 seconds/day 
    Final Time  :       0.100 seconds 

    Actual Ocn Init Wait Time     :       4.500 seconds 
    Estimated Ocn Init Run Time   :      34.560 seconds 
    Estimated Run Time Correction :      30.060 seconds 
      (This correction has been applied to the ocean and total run times) 

Runs Time in total seconds, seconds/model-day, and model-years/wall-day 
CPL Run Time represents time in CPL pes alone, not including time associated with data exchange with other components 

    TOT Run Time:    1564.700 seconds       50.474 seconds/mday         4.69 myears/wday 
    LND Run Time:     103.323 seconds        3.333 seconds/mday        71.02 myears/wday 
    ROF Run Time:      12.400 seconds        0.400 seconds/mday       591.78 myears/wday 
    ICE Run Time:     310.000 seconds       10.000 seconds/mday        23.67 myears/wday 
    ATM Run Time:     806.000 seconds       26.000 seconds/mday         9.10 myears/wday 
    OCN Run Time:    1302.000 seconds       42.000 seconds/mday         5.64 myears/wday 
    GLC Run Time:       0.000 seconds        0.000 seconds/mday         0.00 myears/wday 
    WAV Run Time:       0.000 seconds        0.000 seconds/mday         0.00 myears/wday 
    CPL Run Time:     124.000 seconds        4.000 seconds/mday        59.18 myears/wday 
    CPL COMM Time:    620.000 seconds       20.000 seconds/mday        11.84 myears/wday 


---------------- DRIVER TIMING FLOWCHART --------------------- 

   NOTE: min:max driver timers (seconds/day):   
                            CPL (pes 0 to 449) 

  ATM Run Time:     999.000 seconds       99.000 seconds/mday         4.69 myears/wday 
  CPL:CLOCK_ADVANCE           0.004:   0.005 
  CPL:C2O_BARRIER                <---->           0.000:   0.001 
)",
                                            "ccsm_timing.b40.1850.140228-101010");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_EQ(file.case_name, "b40.1850");
  EXPECT_EQ(file.log_id, "140228-101010");
  EXPECT_EQ(file.run_days, 31);
  EXPECT_EQ(file.processors, 1020);
  EXPECT_EQ(file.processors_per_node, 30);
  EXPECT_EQ(file.cost, 327.14);
  EXPECT_EQ(file.throughput, 4.70);
  ASSERT_THAT(file.components, SizeIs(8));
  EXPECT_EQ(file.components[1].component, "GLC");
  EXPECT_EQ(file.components[7].model, "POP2");
  EXPECT_EQ(file.find("ICE")->root, 90);
  EXPECT_EQ(file.find("ICE")->tasks, 360);
  EXPECT_EQ(file.find("ICE")->threads, 2);
  EXPECT_DOUBLE_EQ(file.find("ATM")->seconds_per_day, 26);
  EXPECT_DOUBLE_EQ(file.find("LND")->seconds_per_day, 103.323 / 31);
  EXPECT_DOUBLE_EQ(file.find("CPL")->seconds_per_day, 4);
  EXPECT_DOUBLE_EQ(file.coupling_seconds_per_day.value(), 20);
}

// CESM 1.0 has neither instances nor ROF, so its table has one column fewer.
TEST(TimingFileParser, ReadsCesm10FilesWithoutInstancesColumn) {
  const TimingFile file = parse_timing_file(R"(
---------------- CCSM TIMING PROFILE ---------------------

  Case        : old_case
  LID         : 120301-101010
  Machine     : box
  CCSM User   : modeller
  CCSM Tag    : cesm1_0_4  (best guess)
  Curr Date   : Thu Mar  1 10:20:30 CET 2012

  grid        : 0.9x1.25_gx1v6
  compset     : B_2000 (B)
  run_type    : startup, continue_run = FALSE (inittype = TRUE)
  stop_option : ndays, stop_n = 5
  run_length  : 5 days (4 for ocean)



  component       comp_pes    root_pe   tasks  x threads (stride) 
  ---------        ------     -------   ------   ------  ------  
  cpl = cpl        48          0        24     x 2       (1     ) 
  atm = cam        48          0        24     x 2       (1     ) 
  ocn = pop2       8           24       8      x 1       (4     ) 

  total pes active           : 56 
  pes per node               : 8 
  pe count for cost estimate : 56 

    TOT Run Time:     100.000 seconds       20.000 seconds/mday        11.84 myears/wday 
    ATM Run Time:      80.000 seconds       16.000 seconds/mday        14.79 myears/wday 
    OCN Run Time:      60.000 seconds       12.000 seconds/mday        19.73 myears/wday 
    CPL Run Time:      10.000 seconds        2.000 seconds/mday       118.36 myears/wday 
    CPL COMM Time:     30.000 seconds        6.000 seconds/mday        39.45 myears/wday 
)",
                                            "ccsm_timing.old_case.120301-101010");
  EXPECT_THAT(file.warnings, IsEmpty());
  ASSERT_THAT(file.components, SizeIs(3));
  EXPECT_EQ(file.find("ATM")->tasks, 24);
  EXPECT_EQ(file.find("ATM")->threads, 2);
  EXPECT_EQ(file.find("ATM")->instances, 1);
  EXPECT_EQ(file.find("OCN")->root, 24);
  EXPECT_EQ(file.find("OCN")->stride, 4);
  EXPECT_DOUBLE_EQ(file.find("OCN")->seconds_per_day, 12);
}

// The example in CIME's manual: 365 days, three threads, and equal indentation of all lines.
TEST(TimingFileParser, ReadsCesm2FilesWithThreads) {
  const TimingFile file = parse_timing_file(R"(      ---------------- TIMING PROFILE ---------------------
      Case        : b.e20.BHIST
      LID         : 9459679.chadmin1.180517-114852
      run_type    : hybrid, continue_run = FALSE (inittype = TRUE)
      stop_option : nyears, stop_n = 1
      run_length  : 365 days (364.958333333 for ocean)

      component       comp_pes    root_pe   tasks  x threads instances (stride)
      ---------        ------     -------   ------   ------  ---------  ------
      cpl = cpl        3456        0        1152   x 3       1      (1     )
      atm = cam        3456        0        1152   x 3       1      (1     )
      ocn = pop        768         1152     256    x 3       1      (1     )
      esp = sesp       1           0        1      x 1       1      (1     )

      total pes active           : 12960
      mpi tasks per node               : 36
      pe count for cost estimate : 4320

      Overall Metrics:
      Model Cost:            3541.30   pe-hrs/simulated_year
      Model Throughput:        29.28   simulated_years/day

      TOT Run Time:    2951.082 seconds        8.085 seconds/mday        29.28 myears/wday
      CPL Run Time:     248.696 seconds        0.681 seconds/mday       347.41 myears/wday
      ATM Run Time:    2097.788 seconds        5.747 seconds/mday        41.19 myears/wday
      OCN Run Time:    2169.399 seconds        5.944 seconds/mday        39.83 myears/wday
      ESP Run Time:       0.000 seconds        0.000 seconds/mday         0.00 myears/wday
      CPL COMM Time:   2464.660 seconds        6.752 seconds/mday        35.06 myears/wday

      ---------------- DRIVER TIMING FLOWCHART ---------------------
)",
                                            "cesm_timing");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_EQ(file.find("ATM")->tasks, 1152);
  EXPECT_EQ(file.find("ATM")->threads, 3);
  EXPECT_EQ(file.find("OCN")->root, 1152);
  EXPECT_DOUBLE_EQ(file.find("ATM")->seconds_per_day, 2097.788 / 365);
  EXPECT_EQ(file.processors, 12960);
  EXPECT_EQ(file.processors_per_node, 36);
}

// Format of E3SM: IAC, strides of 8, wide numbers, a run shorter than a day, "Driver", no flowchart heading.
TEST(TimingFileParser, ReadsE3smFilesWithIacAndStrides) {
  const TimingFile file = parse_timing_file(R"(---------------- TIMING PROFILE ---------------------
  Case        : e3sm_v3_b20tr
  LID         : 48413502.241105-080950
  Machine     : pm-cpu
  Driver      : CPL7
  grid        : a%ne256np4.pg2
  compset     : 2010_SCREAM
  run type    : startup, continue_run = FALSE (inittype = TRUE)
  stop option : ndays, stop_n = 1
  run length  : 0.9988425925925926 days (0.9979166666666667 for ocean)

  component       comp_pes    root_pe   tasks  x threads instances (stride) 
  ---------        ------     -------   ------   ------  ---------  ------  
  cpl = cpl        2097152     0        131072 x 16      1      (8     ) 
  atm = scream     2097152     0        131072 x 16      1      (8     ) 
  lnd = elm        1048576     0        131072 x 8       1      (8     ) 
  ice = mpassi     1048576     0        131072 x 8       1      (8     ) 
  ocn = mpaso      1000000     1234567  1000000 x 1       1      (12345678) 
  iac = siac       1           0        1      x 1       1      (1     ) 

  total pes active           : 3097152 
  mpi tasks per node         : 8 
  pe count for cost estimate : 3097152 

  Overall Metrics: 
    Model Cost:         3268123.15   pe-hrs/simulated_year 
    Model Throughput:         0.02   simulated_years/day 

    TOT Run Time:   12345.678 seconds    12359.984 seconds/mday         0.02 myears/wday 
    CPL Run Time:     100.000 seconds      100.116 seconds/mday         2.36 myears/wday 
    ATM Run Time:  1234567890.125 seconds  1235998443.879 seconds/mday         0.02 myears/wday 
    LND Run Time:      99.884 seconds      100.000 seconds/mday         2.37 myears/wday 
    ICE Run Time:      50.000 seconds       50.058 seconds/mday         4.73 myears/wday 
    OCN Run Time:       0.040 seconds        0.040 seconds/mday      5911.00 myears/wday 
    IAC Run Time:       0.000 seconds        0.000 seconds/mday         0.00 myears/wday 
    CPL COMM Time:    200.000 seconds      200.232 seconds/mday         1.18 myears/wday 
   NOTE: min:max driver timers (seconds/day):   
                            CPL (pes 0 to 1048575) 

  CPL:ATM_RUN                                     0.908:   0.980 
)",
                                            "e3sm_timing");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_DOUBLE_EQ(file.run_days, 0.9988425925925926);
  EXPECT_EQ(file.find("ATM")->threads, 16);
  EXPECT_EQ(file.find("ATM")->stride, 8);
  EXPECT_EQ(file.find("OCN")->tasks, 1000000);
  EXPECT_EQ(file.find("OCN")->root, 1234567);
  EXPECT_EQ(file.find("OCN")->stride, 12345678);
  EXPECT_EQ(file.find("IAC")->model, "SIAC");
  EXPECT_EQ(file.find("IAC")->seconds, 0);
  EXPECT_EQ(file.find("ATM")->seconds, 1234567890.125);
  // For runs shorter than a day, the time per day has more digits than the time of the run.
  EXPECT_DOUBLE_EQ(file.find("LND")->seconds_per_day, 100);
}

TEST(TimingFileParser, ReadsCmepsFiles) {
  const TimingFile file = parse_timing_file(R"(---------------- TIMING PROFILE ---------------------
  Case        : ctsm51_sparse
  LID         : 2267388.231013-120000
  Machine     : cheyenne
  Curr Date   : Fri Oct 13 12:30:36 2023
  Driver      : CMEPS
  grid        : a%null_l%1.9x2.5
  compset     : 2000_DATM%CRUv7_CLM51
  run type    : startup, continue_run = FALSE (inittype = TRUE)
  stop option : nyears, stop_n = 10
  run length  : 3650 days (3650.0 for ocean)

  component       comp_pes    root_pe   tasks  x threads instances (stride) 
  ---------        ------     -------   ------   ------  ---------  ------  
  cpl = cpl        72          36       72     x 1       1      (1     ) 
  atm = datm       36          0        36     x 1       1      (1     ) 
  lnd = clm        72          36       72     x 1       1      (1     ) 

  total pes active           : 108 
  mpi tasks per node         : 36 
  pe count for cost estimate : 108 

  Overall Metrics: 
    Model Cost:               4.55   pe-hrs/simulated_year 
    Model Throughput:       569.61   simulated_years/day 

    Init Time   :       4.262 seconds 
    Run Time    :    1516.840 seconds        0.416 seconds/day 
    Final Time  :       1.002 seconds 


Runs Time in total seconds, seconds/model-day, and model-years/wall-day 
CPL Run Time represents time in CPL pes alone, not including time associated with data exchange with other components 

    TOT Run Time:    1516.840 seconds        0.416 seconds/mday       569.61 myears/wday 
    CPL Run Time:     146.000 seconds        0.040 seconds/mday      5917.81 myears/wday 
    ATM Run Time:     365.000 seconds        0.100 seconds/mday      2367.12 myears/wday 
    LND Run Time:    1095.000 seconds        0.300 seconds/mday       789.04 myears/wday 
    CPL COMM Time:     73.000 seconds        0.020 seconds/mday     11835.62 myears/wday 
   NOTE: min:max driver timers (seconds/day):   
)",
                                            "cesm_timing");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_EQ(file.run_days, 3650);
  EXPECT_EQ(file.find("LND")->root, 36);
  EXPECT_DOUBLE_EQ(file.find("LND")->seconds_per_day, 0.3);
  EXPECT_DOUBLE_EQ(file.total_seconds_per_day.value(), 1516.84 / 3650);
}

// CIME 5.6 repeats the coupling line after each component.
TEST(TimingFileParser, ReadsCime56FilesWithRepeatedCouplingLines) {
  const std::string whole = TimingText().str();
  const std::string coupling = whole.substr(whole.find("    CPL COMM"));
  const std::string text = replaced(whole, "    ATM Run Time", coupling + "    ATM Run Time");
  const TimingFile file = parse_timing_file(text, "f");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_EQ(file.components, parse_timing_file(whole, "f").components);
  EXPECT_DOUBLE_EQ(file.coupling_seconds_per_day.value(), 1.7674);
}

}  // namespace
}  // namespace plimsoll::pelayout
