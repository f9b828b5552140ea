import { createRedisClient } from '../../src/redis/redis-connection.ts'

/** Connects to a Redis server over TLS. Prints the answer to PING, or `failed`. */
const [port] = process.argv.slice(2)
const client = createRedisClient({
  host: '127.0.0.1',
  port: Number(port),
  tls: true,
  username: null,
  password: null,
  database: 0,
  cluster: false,
})
client.on('error', () => {})
const answer = await client.connect().then(
  () => client.ping(),
  () => 'failed',
)
process.stdout.write(answer)
process.exit(0)
