import type { FastifyReply } from 'fastify'

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>There is no such page</title>
<h1>There is no such page</h1>
<p>There is nothing at this address. <a href="/console">Go to the console</a></p>
`

/** Answers a browser's navigation to an unknown address with a page; programs get the same as JSON. */
export function sendMissingPage(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    .send(PAGE)
}
