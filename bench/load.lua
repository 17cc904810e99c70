-- wrk: the request of the file that BENCH_REQUEST names: a line "METHOD PATH", headers, an empty line, the body.
-- "%N" in the body is another number in each request, "%W" one of the words of BENCH_WORDS, which go round.
-- Numbers begin after BENCH_FIRST.  With BENCH_EXPECT every answer is looked at, which costs time: it must hold that text.
-- Ends with one line of JSON.
local number = tonumber(os.getenv("BENCH_FIRST") or "0")
local threads = {}

wrong = 0 -- of this thread

function setup (thread)
  table.insert(threads, thread)
end

local function read (path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  local head, body = text:match("^(.-)\r?\n\r?\n(.*)$")
  local method, target = head:match("^(%S+) (%S+)")
  local headers = {}
  for name, value in head:gmatch("\n([^:\n]+): ([^\r\n]*)") do headers[name] = value end
  return method, target, headers, body
end

local method, target, headers, body = read(os.getenv("BENCH_REQUEST"))

wrk.method, wrk.path, wrk.headers, wrk.body = method, target, headers, body

if body:find("%%[NW]") then
  local words = {}
  for word in (os.getenv("BENCH_WORDS") or ""):gmatch("%S+") do words[#words + 1] = word end
  function request ()
    number = number + 1
    local text = body:gsub("%%N", tostring(number)):gsub("%%W", words[number % #words + 1] or "")
    return wrk.format(method, target, headers, text)
  end
end

local expected = os.getenv("BENCH_EXPECT")

if expected then
  function response (status, _, text)
    if status ~= 200 or not text:find(expected, 1, true) then wrong = wrong + 1 end
  end
end

function done (summary, latency)
  local errors, wrong_ones = summary.errors, 0
  for _, thread in ipairs(threads) do wrong_ones = wrong_ones + thread:get("wrong") end
  io.write(string.format(
    '{"calls":%d,"seconds":%.6f,"bytes":%d,"p50_us":%d,"p99_us":%d,"refused":%d,"wrong":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.status, wrong_ones, errors.connect + errors.read + errors.write + errors.timeout))
end
