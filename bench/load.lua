-- wrk: the request of the file that BENCH_REQUEST names: a line "METHOD PATH", headers, an empty line, the body.
-- "%N" in the body is another number in each request, "%W" one of the words of BENCH_WORDS, which go round.
-- Ends with one line of JSON.
local number = 0

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

function done (summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"calls":%d,"seconds":%.6f,"bytes":%d,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
