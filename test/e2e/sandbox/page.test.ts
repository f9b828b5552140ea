import { expect, test } from 'vitest'
import { sandboxFor } from './support.ts'

test('the page is at / and /sandbox, and runs nothing but its own files', async () => {
  const sandbox = await sandboxFor()
  for (const path of ['/', '/sandbox']) {
    const answer = await fetch(`${sandbox.origin}${path}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    expect(policy).not.toMatch(/unsafe|\*/)
    const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(await answer.text()) ?? []
    const asset = await fetch(`${sandbox.origin}${script}`, { headers: { 'accept-encoding': 'br' } })
    expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test('nothing beside the files of the pages is served', async () => {
  const sandbox = await sandboxFor()
  for (const path of [
    '/assets/',
    '/assets/%2e%2e/.vite/manifest.json',
    '/assets/..%2f..%2fpackage.json',
    '/sandbox/none',
  ])
    expect((await fetch(`${sandbox.origin}${path}`)).status).toBeGreaterThanOrEqual(400)
})
