import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { batchLines } from '../../../../src/observability/logger.ts'

function collected() {
  const written: string[] = []
  return { written, batch: batchLines({ write: (text) => void written.push(text) }) }
}

it('writes the lines of one turn of the event loop together, in their order', async () => {
  const { written, batch } = collected()
  for (const line of ['a\n', 'b\n', 'c\n']) batch.write(line)
  expect(written).toEqual([])
  await setImmediate()
  batch.write('d\n')
  await setImmediate()
  expect(written).toEqual(['a\nb\nc\n', 'd\n'])
})

it('writes what waits when it is told to, once', async () => {
  const { written, batch } = collected()
  batch.write('a\n')
  batch.flushSync()
  expect(written).toEqual(['a\n'])
  await setImmediate()
  expect(written).toEqual(['a\n'])
})

it('holds no more than 64 KiB', () => {
  const { written, batch } = collected()
  const line = `${'x'.repeat(1_023)}\n`
  for (let count = 0; count < 65; count += 1) batch.write(line)
  expect(written.join('')).toBe(line.repeat(65))
})
