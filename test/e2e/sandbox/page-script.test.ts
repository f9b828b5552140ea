import { runInNewContext } from 'node:vm'
import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { createLink, sandboxFor } from './support.ts'

type Message = { svc_payment_event: { event_type: string; page_state: string; redirect_url: Record<string, unknown> } }

/** Loads the page and its script as a popup does, in a minimal window, and presses Done if there is such a button. Returns the messages. */
async function openPopup(sandbox: Sandbox, uuid: string, seen: Map<string, string>): Promise<Message[]> {
  const text = await (await fetch(`${sandbox.origin}/checkout/${uuid}`)).text()
  const script = await (await fetch(`${sandbox.origin}/checkout/page.js`)).text()
  const attributes = [...(/<main([^>]*)>/.exec(text)?.[1] ?? '').matchAll(/data-([a-z-]+)="([^"]*)"/g)]
  const dataset = Object.fromEntries(
    attributes.map(([, name = '', value]) => [
      name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
  const messages: Message[] = []
  const listeners: ((event: { preventDefault: () => void }) => void)[] = []
  const done = { addEventListener: (_name: string, listener: (typeof listeners)[number]) => listeners.push(listener) }
  runInNewContext(script, {
    document: {
      querySelector: () => ({ dataset }),
      getElementById: () => (text.includes('id="done"') ? done : null),
      addEventListener: () => undefined,
    },
    window: {
      // Objects of another realm have other prototypes, which a comparison would detect.
      opener: { postMessage: (message: Message) => messages.push(JSON.parse(JSON.stringify(message)) as Message) },
      close: () => undefined,
    },
    sessionStorage: {
      getItem: (key: string) => seen.get(key) ?? null,
      setItem: (key: string, value: string) => seen.set(key, value),
    },
    setTimeout: () => 0,
  })
  for (const listener of listeners) listener({ preventDefault: () => undefined })
  return messages
}

test('a popup tells its opener of a change once, and of Done', async () => {
  const sandbox = await sandboxFor()
  const seen = new Map<string, string>()
  const redirect = { success: 'https://shop.example.test/ok', failure: 'https://shop.example.test/no' }
  const uuid = await createLink(sandbox, { redirect_url: redirect })
  expect(await openPopup(sandbox, uuid, seen)).toEqual([])

  await sandbox.control.setStatus(uuid, 'received')
  const told = (type: string): Message => ({
    svc_payment_event: { event_type: type, page_state: 'success', redirect_url: redirect },
  })
  expect(await openPopup(sandbox, uuid, seen)).toEqual([told('onChange'), told('onDone')])
  expect(await openPopup(sandbox, uuid, seen)).toEqual([told('onDone')])
})

test('an expired page tells that it is done by itself', async () => {
  const sandbox = await sandboxFor()
  const uuid = await createLink(sandbox)
  await sandbox.control.setStatus(uuid, 'expired')
  const messages = await openPopup(sandbox, uuid, new Map())
  expect(messages.map(({ svc_payment_event: event }) => [event.event_type, event.page_state])).toEqual([
    ['onChange', 'failed'],
    ['onDone', 'failed'],
    ['onDone', 'failed'],
  ])
})
