import { startSandbox } from 'payments-subgraph-sandbox'
import { expect, it, onTestFinished } from 'vitest'

it('sees that a link was paid', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const headers = { 'app-id': 'sandbox-aud', 'secret-key': 'sandbox-secret-aud', 'content-type': 'application/json' }
  const payer = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' }
  const body = JSON.stringify({ amount: 125.5, description: 'Two tickets', sender_info: payer })
  const created = await fetch(`${sandbox.url}/v3/payin_links`, { method: 'POST', headers, body })
  const { uuid } = (await created.json()) as { uuid: string }
  await sandbox.control.setStatus(uuid, 'received')
  const read = await fetch(`${sandbox.url}/v3/payin_links/${uuid}`, { headers })
  expect(await read.json()).toMatchObject({ status: 'received' })
})
