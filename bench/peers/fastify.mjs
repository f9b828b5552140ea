/**
 * Fastify that sends bytes which were recorded: ANSWER names a JSON file with the headers and, for one answer to everything, the
 * body. With DATABASE the body is read from a row of SQLite by `variables.id` of the request, by one prepared statement.
 */
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

const { headers, body } = JSON.parse(readFileSync(process.env.ANSWER, 'utf8'))
const app = Fastify()
app.get('/health/ready', (_request, reply) => reply.send('ok'))
if (process.env.DATABASE === undefined) app.post('/graphql', (_request, reply) => reply.headers(headers).send(body))
else {
  const find = new DatabaseSync(process.env.DATABASE, { readOnly: true }).prepare(
    'SELECT body FROM answers WHERE id = ?',
  )
  app.post('/graphql', (request, reply) => reply.headers(headers).send(find.get(request.body.variables.id).body))
}
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
