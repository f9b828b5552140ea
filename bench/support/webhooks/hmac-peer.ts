/** The peer: a Fastify server that verifies the signature of a webhook and does nothing else. It listens on PORT. */
import Fastify from 'fastify'
import { SIGNATURE_HEADER, verify } from '../../../src/webhooks/signature.ts'
import { WEBHOOK_SECRET } from '../processes.ts'
import { WEBHOOK_PATH } from './requests.ts'

const app = Fastify()
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.post<{ Body: Buffer }>(WEBHOOK_PATH, (request, reply) => {
  const isAuthentic = verify(request.body, String(request.headers[SIGNATURE_HEADER]), [WEBHOOK_SECRET])
  return reply
    .code(isAuthentic ? 200 : 401)
    .type('text/plain')
    .send(isAuthentic ? 'ok' : 'refused')
})
app.get('/health/ready', (_request, reply) => reply.send('ok'))
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
