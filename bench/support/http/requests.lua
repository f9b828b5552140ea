-- Requests of wrk(1). Arguments: a Lua file that returns the requests, and the number of the first one.
-- The file returns a list, which is sent over and over, or { before, after, counted = true }, between which a number with
-- seven digits and two decimals stands, another one in each request.
local requests, number

function init(args)
  requests = dofile(args[1])
  number = tonumber(args[2])
end

function request()
  number = number + 1
  if requests.counted then
    return requests[1] .. string.format('%07d.%02d', 1000000 + math.floor(number / 100) % 9000000, number % 100) .. requests[2]
  end
  return requests[number % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\nRESULT {"requests":%d,"microseconds":%d,"bytes":%d,"refused":%d,"failed":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50), latency:percentile(99)))
end
