"""The Lua scripts behind `RedisState`: records of an owner, and what a kind may take of the server.

A kind with a bound has a shelf of its own over all owners: a sorted set of its records in the order
of their last writing, and a hash of their sizes with the sum. No clock is asked: with one lifetime
for the kind the record that was written first also ends first, so whoever puts a record looks at
that end of the shelf, takes away what has ended and, beyond the bound, what is oldest.
"""

from typing import Final

# What a record costs beyond its value: its key, its places in the index, on the shelf and in the
# hash of sizes; measured as used_memory of Redis 7.0 with 73,795 records of 5,047 bytes.
OVERHEAD_BYTES: Final = 700
# Of one call, so that a bound that was lowered a lot holds nobody up; the next call goes on.
_MOST_REMOVED: Final = 200

# KEYS: value, index of the kind, kinds of the owner, shelf, sizes. ARGV: owner, id, value, lifetime
# in ms, most, kind, room in bytes (0: no shelf), beginning of all keys, overhead. The index is
# ordered by a counter of its own.
PUT: Final = f"""
local member = ARGV[1] .. '|' .. ARGV[2]
local own = ARGV[8] .. '{{' .. ARGV[1] .. '}}:'
local function off_shelf(one)
  local size = redis.call('HGET', KEYS[5], one)
  if size then
    redis.call('ZREM', KEYS[4], one)
    redis.call('HDEL', KEYS[5], one)
    redis.call('HINCRBY', KEYS[5], 'sum', -size)
  end
end
local n = redis.call('INCR', KEYS[2] .. ':n')
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('ZADD', KEYS[2], n, ARGV[2])
redis.call('SADD', KEYS[3], ARGV[6])
local old = redis.call('ZRANGE', KEYS[2], 0, -(ARGV[5] + 1))
for _, id in ipairs(old) do
  redis.call('DEL', own .. ARGV[6] .. ':' .. id)
  redis.call('ZREM', KEYS[2], id)
  off_shelf(ARGV[1] .. '|' .. id)
end
local room, live = tonumber(ARGV[7]), {{KEYS[2], KEYS[2] .. ':n', KEYS[3]}}
if room > 0 then
  off_shelf(member)
  if redis.call('EXISTS', KEYS[4]) == 0 then redis.call('DEL', KEYS[5]) end
  local size = #ARGV[3] + ARGV[9]
  redis.call('ZADD', KEYS[4], redis.call('HINCRBY', KEYS[5], 'n', 1), member)
  redis.call('HSET', KEYS[5], member, size)
  redis.call('HINCRBY', KEYS[5], 'sum', size)
  for _ = 1, {_MOST_REMOVED} do
    local first = redis.call('ZRANGE', KEYS[4], 0, 0)[1]
    if not first or first == member then break end
    local owner, id = string.match(first, '^(.*)|(.*)$')
    local theirs = ARGV[8] .. '{{' .. owner .. '}}:'
    local key = theirs .. ARGV[6] .. ':' .. id
    local fits = tonumber(redis.call('HGET', KEYS[5], 'sum')) <= room
    if fits and redis.call('EXISTS', key) == 1 then break end
    redis.call('DEL', key)
    redis.call('ZREM', theirs .. 'index:' .. ARGV[6], id)
    off_shelf(first)
  end
  table.insert(live, KEYS[4])
  table.insert(live, KEYS[5])
end
for _, key in ipairs(live) do
  if redis.call('PTTL', key) < ARGV[4] + 0 then redis.call('PEXPIRE', key, ARGV[4]) end
end
"""

# KEYS: index of the kind, kinds of the owner, shelf, sizes. ARGV: owner, kind, beginning of all
# keys, id ("": all of the kind). Returns how many there were.
DELETE: Final = """
local own = ARGV[3] .. '{' .. ARGV[1] .. '}:'
local ids = {ARGV[4]}
if ARGV[4] == '' then ids = redis.call('ZRANGE', KEYS[1], 0, -1) end
local gone = 0
for _, id in ipairs(ids) do
  local member = ARGV[1] .. '|' .. id
  gone = gone + redis.call('DEL', own .. ARGV[2] .. ':' .. id)
  redis.call('ZREM', KEYS[1], id)
  local size = redis.call('HGET', KEYS[4], member)
  if size then
    redis.call('ZREM', KEYS[3], member)
    redis.call('HDEL', KEYS[4], member)
    redis.call('HINCRBY', KEYS[4], 'sum', -size)
  end
end
if ARGV[4] == '' then
  redis.call('DEL', KEYS[1], KEYS[1] .. ':n')
  redis.call('SREM', KEYS[2], ARGV[2])
end
return gone
"""
