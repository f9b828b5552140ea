/**
 * Stores this node's counts and returns the sums of the other nodes' counts, in the order of the keys. KEYS: a hash per holder, with a field
 * per node; its value is `count:instant at which it expires`, by the clock of Redis, so that a node that was killed is not counted for
 * long. ARGV: this node, milliseconds to expiry, and a count per key. What is not of this form is removed.
 */
export const COUNT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local node, ttl = ARGV[1], tonumber(ARGV[2])
local sums = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and (kind ~= 'hash' or redis.call('HLEN', key) > 1000) then redis.call('DEL', key) end
  local count = tonumber(ARGV[2 + i])
  if count > 0 then
    redis.call('HSET', key, node, string.format('%d:%.0f', count, now + ttl))
  else
    redis.call('HDEL', key, node)
  end
  local sum = 0
  local fields = redis.call('HGETALL', key)
  for j = 1, #fields, 2 do
    if fields[j] ~= node then
      local other, expiry = string.match(fields[j + 1], '^(%d+):(%d+)$')
      if other and #other < 8 and tonumber(expiry) > now and tonumber(expiry) <= now + ttl then
        sum = sum + tonumber(other)
      else
        redis.call('HDEL', key, fields[j])
      end
    end
  end
  redis.call('PEXPIRE', key, ttl)
  sums[i] = sum
end
return sums`

/** Returns the sums that the script has returned; 0 for what is not a number. */
export function readSums(result: unknown): number[] {
  return Array.isArray(result) ? result.map((sum) => (typeof sum === 'number' && sum > 0 ? sum : 0)) : []
}
