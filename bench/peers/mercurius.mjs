/** Mercurius with jit from the first execution on. */
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { buildSchema } from './schema.mjs'

const app = Fastify()
app.get('/health/ready', (_request, reply) => reply.send('ok'))
app.register(mercurius, { schema: buildSchema(), jit: 1 })
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
