#include "gpusched/io/trace.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

using Lines = std::vector<std::string>;

/// "name user@queue arrival+duration gpus/pods", times in seconds; or the errors.
Lines read(const std::string& text, std::string_view queue = {}) {
  const Result<Trace> trace = read_trace({"t", text}, queue);
  Lines lines;
  if (!trace) {
    for (const Diagnostic& d : trace.error()) {
      lines.push_back(fmt::format("{}: {}: {}", d.line, d.code, d.message));
    }
    return lines;
  }
  for (const TraceJob& job : trace->jobs) {
    std::string line = fmt::format("{} {}@{} {:g}+{:g} {}/{}", job.name, job.user, job.queue,
                                   static_cast<double>(job.submission_ms) / 1000.0,
                                   static_cast<double>(job.duration_ms) / 1000.0, job.gpus, job.pods);
    if (job.after >= 0) {
      line += fmt::format(" after {}+{:g}", job.after, static_cast<double>(job.think_ms) / 1000.0);
    }
    lines.push_back(line);
  }
  if (trace->without_run + trace->without_gpus + trace->other_queues > 0) {
    lines.push_back(fmt::format("left out {} {} {}", trace->without_run, trace->without_gpus, trace->other_queues));
  }
  return lines;
}

std::string swf(std::string_view start, std::string_view rest = "-1 -1 -1 -1 1 7 -1 -1 2 -1 -1 -1") {
  return fmt::format("{} {}\n", start, rest);
}

}  // namespace

TEST_CASE("csv-traces") {
  struct Case {
    const char* name;
    std::string text;
    Lines lines;
  };
  const std::vector<Case> cases = {
      {"philly", "vc,job,arrival_s,num_gpus,duration_s\nx,0,0,1,10\nx,1,6,20,5\n", {"0 @x 0+10 1/0", "1 @x 6+5 20/0"}},
      {"plain-with-workers", "name,arrival,workers,gpus,duration,user\na,1.5,2,4,0.25,me\n", {"a me@ 1.5+0.25 8/2"}},
      {"tiresias",
       "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,8,30,1,vgg,147,3\n",
       {"0 @ 30+147 8/0"}},
      {"helios-time-stamps-and-nodes",
       "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
       "j,u,v,16,64,2,COMPLETED,2020-02-28 23:59:50,x,x,60,10\nk,u,v,8,64,3,FAILED,2020-03-01 00:00:00,x,x,6,10\n",
       {"j u@v 0+60 16/2", "k u@v 86410+6 8/0"}},
      {"openb-ends",
       "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
       "p,1,2,1,460,,LS,Running,5,100,7\nq,1,2,1,1000,,LS,Pending,6,100,\nr,1,2,0,0,,LS,Running,7,100,7\n",
       {"p @ 5+93 1/0", "left out 1 1 0"}},
      {"any-case-crlf-mark-and-quotes",
       "\xEF\xBB\xBFName,ARRIVAL,GPUs,Duration\r\n\"a, \"\"b\"\"\",0,1,2\r\n\r\n",
       {"a, \"b\" @ 0+2 1/0"}},
      {"without-a-name", "arrival,gpus,duration\n0,1,2\n", {"line-2 @ 0+2 1/0"}},
      {"no-number",
       "name,arrival,gpus,duration\na,0,1,NaN\nb,x,1,1\nc,0,1.5,1\nd,0,1,inf\n",
       {"2: out-of-range: duration: expected seconds from 0 to 4000000000, found \"NaN\"",
        "3: out-of-range: arrival: expected seconds from 0 to 4000000000, found \"x\"",
        "4: out-of-range: gpus: expected a whole number from 0 to 1000000, found \"1.5\"",
        "5: out-of-range: duration: expected seconds from 0 to 4000000000, found \"inf\""}},
      {"negative",
       "name,arrival,gpus,duration\na,0,1,-1\nb,-1,1,1\nc,0,-1,1\n",
       {"2: out-of-range: duration: expected seconds from 0 to 4000000000, found \"-1\"",
        "3: out-of-range: arrival: expected seconds from 0 to 4000000000, found \"-1\"",
        "4: out-of-range: gpus: expected a whole number from 0 to 1000000, found \"-1\""}},
      {"unsorted",
       "name,arrival,gpus,duration\na,5,1,1\nb,3,1,1\n",
       {"3: unsorted-arrivals: the job arrives at 3 s, before the one on line 2, which arrives at 5 s"}},
      {"ends-before-it-starts",
       "name,num_gpu,creation_time,deletion_time\na,1,5,3\n",
       {"2: out-of-range: the job ends at \"3\", before it starts at \"5\""}},
      {"missing-columns",
       "name,gpus\na,1\n",
       {"1: missing-column: there is no column for the arrival",
        "1: missing-column: there is no column for the duration"}},
      {"cells",
       "name,arrival,gpus,duration\na,0,1\nb,0,1,1,1\n\"c,0,1,1\n",
       {"2: bad-csv-line: expected 4 cells as in the header, found 3",
        "3: bad-csv-line: expected 4 cells as in the header, found 5",
        "4: unclosed-quote: a cell starts with a quote that is never closed"}},
      {"nothing-to-run",
       "name,arrival,gpus,duration\na,0,1,0\n",
       {"0: no-jobs: the trace has no job that runs on a GPU"}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(read(c.text) == c.lines);
  }
}

TEST_CASE("a queue of a trace") {
  const std::string text = "vc,job,arrival,gpus,duration\na,1,5,1,1\nb,2,0,1,1\nb,3,1,1,1\n";
  CHECK(read(text, "b") == Lines{"2 @b 0+1 1/0", "3 @b 1+1 1/0", "left out 0 0 1"});
  CHECK(read(text, "c") == Lines{"0: no-jobs: no job of the trace is in the queue \"c\""});
}

TEST_CASE("swf-traces") {
  CHECK(read("; Version: 2\n" + swf("1 0 -1 1451 128 -1") + "   " +
             swf("2 10 -1 5 -1 -1", "-1 4 -1 -1 1 -1 -1 -1 -1 -1 1 30")) ==
        Lines{"1 7@2 0+1451 128/0", "2 @ 10+5 4/0 after 0+30"});
  CHECK(read(swf("1 0 -1 -1 128 -1") + swf("2 1 -1 0 8 -1") + swf("3 2 -1 9 8 -1")) ==
        Lines{"3 7@2 2+9 8/0", "left out 2 0 0"});
  CHECK(read("1 2 3\n" + swf("1 x -1 5 1 -1")) ==
        Lines{"1: bad-swf-line: expected 18 fields between blanks, found 3",
              "2: out-of-range: submit time: expected seconds from 0 to 4000000000, found \"x\""});
  CHECK(read(swf("1 9 -1 5 1 -1") + swf("2 3 -1 5 1 -1")) ==
        Lines{"2: unsorted-arrivals: the job arrives at 3 s, before the one on line 1, which arrives at 9 s"});
}

TEST_CASE("what-looks-like-a-trace") {
  CHECK(looks_like_trace("; Version: 2\n"));
  CHECK(looks_like_trace(swf("1 0 -1 1451 128 -1")));
  CHECK(looks_like_trace("\xEF\xBB\xBF\nvc,job,arrival_s,num_gpus,duration_s\n"));
  CHECK_FALSE(looks_like_trace(R"({"jobs": [{"name": "a", "duration": 1, "gpus": 2}]})"));
  CHECK_FALSE(looks_like_trace("jobs:\n- name: a\n"));
  CHECK_FALSE(looks_like_trace("apiVersion: v1\nkind: Pod\n"));
  CHECK_FALSE(looks_like_trace("one, two\n"));
  CHECK_FALSE(looks_like_trace(""));
}

TEST_CASE("seconds") {
  CHECK(parse_seconds("1.5") == 1500);
  CHECK(parse_seconds("1e3") == 1'000'000);
  CHECK(parse_seconds("+2") == 2000);
  CHECK(parse_seconds("-1") == -1000);
  for (const char* bad : {"", "nan", "inf", "1 ", "0x10", "4000000001", "1e400", "++1"}) {
    INFO(bad);
    CHECK_FALSE(parse_seconds(bad));
  }
}
