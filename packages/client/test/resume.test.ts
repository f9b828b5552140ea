import { describe, expect, it } from 'vitest'
import { resumeStream, type StreamResult, type StreamSink } from '../src/resume/resume-stream.ts'

type Opened = { readonly after: string | null | undefined; readonly sink: StreamSink<StreamResult>; isOpen: boolean }

const item = (cursor: string, previousCursor: string | null, kind = 'EVENT') => ({
  data: { paymentUpdates: { kind, cursor, previousCursor } },
})
const failed = (code: string) => ({ data: null, errors: [{ message: code, extensions: { code } }] })

/** Runs a stream whose connections the test plays. */
function started() {
  const opened: Opened[] = []
  const told: string[] = []
  const stop = resumeStream<StreamResult>(
    ({ after }, sink) => {
      const one: Opened = { after, sink, isOpen: true }
      opened.push(one)
      return () => void (one.isOpen = false)
    },
    {
      next: ({ data, errors }) =>
        told.push(errors?.[0]?.message ?? (data as ReturnType<typeof item>['data']).paymentUpdates.cursor),
      error: (error) => told.push(`error ${JSON.stringify(error)}`),
      complete: () => told.push('complete'),
    },
    { timing: { retryMs: 1, retryMaxMs: 1 } },
  )
  const next = async (count: number) => {
    await expect.poll(() => opened.length).toBe(count)
    return opened.at(-1) as Opened
  }
  return { opened, told, stop, next }
}

describe('a resumed stream', () => {
  it.each([
    ['the first variables were sent again', item('s', null, 'SNAPSHOT')],
    ['an item is missing', item('d', 'c')],
    ['the process stops', failed('UNAVAILABLE')],
  ])('is opened after the last item when %s', async (_why, interruption) => {
    const { opened, told, next } = started()
    opened[0]?.sink.next(item('a', null, 'SNAPSHOT'))
    opened[0]?.sink.next(item('b', 'a'))
    opened[0]?.sink.next(interruption)
    const again = await next(2)
    expect([again.after, opened[0]?.isOpen]).toEqual(['b', false])
    again.sink.next(item('c', 'b'))
    opened[0]?.sink.next(item('x', 'b'))
    expect(told).toEqual(['a', 'b', 'c'])
  })

  it('is not opened for ever for a gap that remains', async () => {
    const { opened, told, next } = started()
    opened[0]?.sink.next(item('a', null))
    opened[0]?.sink.next(item('c', 'b'))
    ;(await next(2)).sink.next(item('c', 'b'))
    expect(told).toEqual(['a', 'c'])
  })

  it('begins anew where it cannot be continued, and says so', async () => {
    const { opened, told, next } = started()
    opened[0]?.sink.next(item('a', null))
    opened[0]?.sink.next(item('r', null, 'RESYNC_REQUIRED'))
    opened[0]?.sink.complete()
    const again = await next(2)
    expect(again.after).toBeNull()
    again.sink.next(item('s', null, 'SNAPSHOT'))
    expect(told).toEqual(['a', 'r', 's'])
  })

  it('leaves out the position that the app gave, once that cannot be continued', async () => {
    const { opened, next } = started()
    opened[0]?.sink.error(new Error('connect ECONNREFUSED'))
    const second = await next(2)
    second.sink.next(item('r', null, 'RESYNC_REQUIRED'))
    expect([opened[0]?.after, second.after, (await next(3)).after]).toEqual([undefined, undefined, null])
  })

  it.each([
    ['a socket that is refused', { code: 4401, reason: 'Unauthorized' }],
    ['the error of Apollo Client for it', new Error('Socket closed with event 4401 Unauthorized')],
    ['an error of the graph', [{ message: 'x', extensions: { code: 'NOT_FOUND' } }]],
    ['an error of the graph in an error', { errors: [{ message: 'x', extensions: { code: 'FORBIDDEN' } }] }],
    ['a newer stream of the same token', [{ message: 'x', extensions: { code: 'TOO_MANY_OPERATIONS' } }]],
  ])('ends with %s', (_what, error) => {
    const { opened, told } = started()
    opened[0]?.sink.error(error)
    expect([told, opened]).toEqual([[`error ${JSON.stringify(error)}`], [{ ...opened[0], isOpen: false }]])
  })

  it.each([
    ['a process that is gone', { code: 1006, reason: '' }],
    ['a token that has expired', { code: 4403, reason: 'Token expired' }],
    ['a server that cannot be reached', new Error('connect ECONNREFUSED')],
    ['an error that passes', [{ message: 'x', extensions: { code: 'UNAVAILABLE' } }]],
  ])('is opened again after %s, until it is left', async (_what, error) => {
    const { opened, told, stop, next } = started()
    opened[0]?.sink.error(error)
    const again = await next(2)
    stop()
    again.sink.next(item('a', null))
    expect([told, again.isOpen]).toEqual([[], false])
  })
})
