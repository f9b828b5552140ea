/**
 * Fastify that sends what was recorded: ANSWER names a JSON file with the headers and, for one answer to everything, the body. Otherwise
 * the body is found by `variables.id` of the request: in the JSON object of the file BODIES, or in a row of the SQLite file DATABASE.
 */
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

const { ANSWER, BODIES, DATABASE, PORT } = process.env
const { headers, body } = JSON.parse(readFileSync(ANSWER, 'utf8'))
const app = Fastify()
app.get('/health/ready', (_request, reply) => reply.send('ok'))
if (DATABASE !== undefined) {
  const find = new DatabaseSync(DATABASE, { readOnly: true }).prepare('SELECT body FROM answers WHERE id = ?')
  app.post('/graphql', (request, reply) => reply.headers(headers).send(find.get(request.body.variables.id).body))
} else if (BODIES !== undefined) {
  const bodies = new Map(Object.entries(JSON.parse(readFileSync(BODIES, 'utf8'))))
  app.post('/graphql', (request, reply) => reply.headers(headers).send(bodies.get(request.body.variables.id)))
} else app.post('/graphql', (_request, reply) => reply.headers(headers).send(body))
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
