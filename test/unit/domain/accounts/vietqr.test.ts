import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkVietQr, crc16 } from '../../../../src/domain/accounts/vietqr.ts'

type Part = readonly [id: string, value: string]

const tlv = ([id, value]: Part): string => `${id}${String(value.length).padStart(2, '0')}${value}`
const join = (...parts: readonly Part[]): string => parts.map(tlv).join('')
const sealed = (text: string): string => `${text}6304${crc16(`${text}6304`)}`

const ACCOUNT = join(['00', '970403'], ['01', '0011012345678'])
const BENEFICIARY = join(['00', 'A000000727'], ['01', ACCOUNT], ['02', 'QRIBFTTA'])
const STATIC: readonly Part[] = [
  ['00', '01'],
  ['01', '11'],
  ['38', BENEFICIARY],
  ['53', '704'],
  ['58', 'VN'],
]
const DYNAMIC: readonly Part[] = [
  ...STATIC.slice(0, 4),
  ['54', '180000'],
  ['58', 'VN'],
  ['59', 'Cà phê Sài Gòn'],
  ['62', join(['01', 'NPS6869'], ['08', 'thanh toan don hang'])],
]

/** Returns the static payload with one object replaced, omitted (null) or inserted at its place. */
function withObject(id: string, value: string | null): string {
  const others = STATIC.filter(([other]) => other !== id)
  const parts = value === null ? others : [...others, [id, value] as const]
  return sealed(join(...parts.toSorted(([a], [b]) => a.localeCompare(b))))
}

function positionOf(payload: string): number | null {
  const check = checkVietQr(payload)
  expect(check.ok ? 'no fault' : check.message).toMatch(/^\w/)
  return check.ok ? null : check.position
}

describe('crc16', () => {
  it.each([
    ['', 'FFFF'],
    ['123456789', '29B1'],
    ['00020101021138570010A00000072701270006970403011300110123456780208QRIBFTTA53037045802VN6304', '9E6F'],
    ['00020101021138540010A00000072701240006970423011000999999990208QRIBFTTA53037045802VN6304', 'CBB4'],
  ])('of %j is %s', (text, crc) => expect(crc16(text)).toBe(crc))

  it('has four digits even when it is small', () => {
    const crcs = Array.from({ length: 300 }, (_, number) => crc16(String(number)))
    for (const crc of crcs) expect(crc).toMatch(/^[0-9A-F]{4}$/)
    expect(crcs.some((crc) => crc.startsWith('0'))).toBe(true)
  })
})

describe('checkVietQr', () => {
  it.each([
    [
      'a static payload of the scheme',
      '00020101021138570010A00000072701270006970403011300110123456780208QRIBFTTA53037045802VN63049E6F',
    ],
    [
      'a payload with an amount and a purpose',
      '00020101021238570010A00000072701270006970403011300110123456780208QRIBFTTA530370454061800005802VN62340107NPS68690819thanh toan don hang63042E2E',
    ],
    [
      'a payload for a card number',
      '00020101021238600010A00000072701300006970403011697040311012345670208QRIBFTTC530370454061800005802VN62340107NPS68690819thanh toan don hang6304A203',
    ],
    ['one made here', sealed(join(...STATIC))],
    ['one with a name that is not ASCII', sealed(join(...DYNAMIC))],
    ['one without a currency', withObject('53', null)],
    ['one with plain text in 80', withObject('80', '046')],
  ])('takes %s', (_name, payload) => {
    expect(checkVietQr(payload)).toEqual({ ok: true })
    expect(checkVietQr(payload.slice(0, -4) + payload.slice(-4).toLowerCase())).toEqual({ ok: true })
  })

  it('takes any payload that is well made', () => {
    const made = fc.record({
      bin: fc.stringMatching(/^\d{6}$/),
      account: fc.stringMatching(/^[0-9A-Za-z]{1,19}$/),
      amount: fc.stringMatching(/^[1-9]\d{0,12}$/),
      name: fc.stringMatching(/^[\p{L} ]{1,25}$/u).filter((name) => !/[\u{10000}-\u{10FFFF}]/u.test(name)),
      purpose: fc.stringMatching(/^[A-Za-z0-9 .,-]{1,80}$/),
    })
    fc.assert(
      fc.property(made, ({ bin, account, amount, name, purpose }) => {
        const beneficiary = join(['00', 'A000000727'], ['01', join(['00', bin], ['01', account])])
        const parts: Part[] = [
          ['00', '01'],
          ['38', beneficiary],
          ['54', amount],
          ['58', 'VN'],
          ['59', name],
        ]
        expect(checkVietQr(sealed(join(...parts, ['62', join(['08', purpose])])))).toEqual({ ok: true })
      }),
    )
  })

  it.each([
    ['static', STATIC],
    ['dynamic', DYNAMIC],
  ])('refuses the %s payload with any one character changed', (_name, parts) => {
    const payload = sealed(join(...parts))
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(0x20 + index))
    for (let at = 0; at < payload.length; at += 1)
      for (const other of [...printable, 'é', 'ạ', '\n', '\0', '\u{1F389}', '\uD800']) {
        const changed = payload.slice(0, at) + other + payload.slice(at + 1)
        if (changed.slice(0, -4) + changed.slice(-4).toUpperCase() === payload) continue
        const position = positionOf(changed)
        expect(position, `${at}: ${other}`).not.toBeNull()
        expect(position).toBeLessThanOrEqual(changed.length)
      }
  })

  it('refuses two neighbours that have changed places, and a character that is lost or doubled', () => {
    const payload = sealed(join(...DYNAMIC))
    for (let at = 0; at < payload.length; at += 1) {
      const [one = '', two = ''] = payload.slice(at, at + 2)
      const [before, after] = [payload.slice(0, at), payload.slice(at + 2)]
      expect(positionOf(before + two + after)).not.toBeNull()
      expect(positionOf(before + one + one + two + after)).not.toBeNull()
      expect(positionOf(before + two + one + after) === null).toBe(one === two || two === '')
    }
  })

  it('tells where a payload was cut off', () => {
    const payload = sealed(join(...DYNAMIC))
    const objects: { at: number; end: number }[] = []
    for (let at = 0; at < payload.length; at = objects.at(-1)?.end ?? Infinity)
      objects.push({ at, end: at + 4 + Number(payload.slice(at + 2, at + 4)) })
    for (let cut = 0; cut < payload.length; cut += 1) {
      const open = objects.find(({ at, end }) => at < cut && cut < end)
      const expected = open === undefined ? cut : cut - open.at < 4 ? open.at : open.at + 2
      expect(positionOf(payload.slice(0, cut)), `cut at ${cut}`).toBe(expected)
    }
  })

  it('tells where a template was cut off', () => {
    const base = 12 + 4
    const endOfAccount = 14 + 4 + ACCOUNT.length
    const objects = [
      [0, 14],
      [14, endOfAccount],
      [endOfAccount, BENEFICIARY.length],
    ] as const
    for (let cut = 1; cut < BENEFICIARY.length; cut += 1) {
      if (cut === endOfAccount) continue
      const [at, end] = objects.find(([start, stop]) => start <= cut && cut < stop) ?? [0, 0]
      const expected = cut === at || cut - at < 4 ? at : at + 2
      expect(end).toBeGreaterThan(cut)
      expect(positionOf(withObject('38', BENEFICIARY.slice(0, cut))), `cut at ${cut}`).toBe(base + expected)
    }
    expect(positionOf(withObject('38', BENEFICIARY.slice(0, endOfAccount)))).toBeNull()
  })

  it.each([
    ['is empty', '', 0],
    ['is no QR payload', 'https://shop.test', 0],
    ['starts with another object', sealed(join(['01', '11'], ...STATIC.filter(([id]) => id !== '01'))), 0],
    ['has another format', withObject('00', '02'), 4],
    ['has no beneficiary', withObject('38', null), 25],
    ['has no CRC', join(...STATIC), 86],
    ['is in another currency', withObject('53', '840'), 77],
    ['is from another country', withObject('58', 'TH'), 84],
    ['names an object twice', sealed(join(...STATIC, ['53', '704'])), 86],
    ['has an object without a value', sealed(`${join(...STATIC)}6000`), 88],
    ['has a letter in an id', sealed(`${join(...STATIC)}6A01x`), 87],
    ['has a letter in a length', sealed(`${join(...STATIC)}600Ax`), 89],
    ['has a control character', sealed(join(...STATIC, ['60', 'Ha\tNoi'])), 92],
    ['has a name outside the basic plane', sealed(join(...STATIC, ['59', 'A🎉'])), 91],
    ['has half a character', sealed(join(...STATIC, ['59', 'A\uD800'])), 91],
    ['has a merchant category that is not ASCII', sealed(join(...STATIC, ['52', '５８１２'])), 90],
    ['has a broken template 62', sealed(join(...STATIC, ['62', '0805abc'])), 92],
    ['has a template 62 that names something twice', sealed(join(...STATIC, ['62', '0801a0801b'])), 95],
    ['has a broken template 64', sealed(join(...STATIC, ['64', '00'])), 90],
    ['has another merchant account that is broken', sealed(join(...STATIC, ['26', 'x'])), 90],
    ['has a wrong CRC', `${join(...STATIC)}63040000`, 90],
    ['has a CRC that is no number', `${join(...STATIC)}6304ZZZZ`, 90],
    ['has a CRC with one wrong digit kind', `${join(...STATIC)}63049E6G`, 90],
    ['has a short CRC', `${join(...STATIC)}6303ABC`, 88],
    ['goes on after its CRC', `${sealed(join(...STATIC))}6001x`, 94],
    ['ends with a line break', `${sealed(join(...STATIC))}\n`, 94],
  ])('refuses one that %s', (_name, payload, position) => expect(positionOf(payload)).toBe(position))

  it.each([
    ['another scheme', join(['00', 'A000000728'], ['01', ACCOUNT]), 20],
    ['no scheme', join(['01', ACCOUNT]), 16],
    ['no account', join(['00', 'A000000727']), 30],
    ['an account without a bank', join(['00', 'A000000727'], ['01', join(['01', '123'])]), 41],
    ['a bank without an account', join(['00', 'A000000727'], ['01', join(['00', '970403'])]), 44],
    ['a bank of five digits', join(['00', 'A000000727'], ['01', join(['00', '97040'], ['01', '1'])]), 38],
    ['a bank of letters', join(['00', 'A000000727'], ['01', join(['00', '9704AB'], ['01', '1'])]), 38],
    ['an account of 20 digits', join(['00', 'A000000727'], ['01', join(['00', '970403'], ['01', '1'.repeat(20)])]), 48],
    ['an account with a space', join(['00', 'A000000727'], ['01', join(['00', '970403'], ['01', '1 2'])]), 48],
    ['a bank that is cut short', join(['00', 'A000000727'], ['01', '0006970']), 36],
    ['a fault behind the account', `${join(['00', 'A000000727'], ['01', ACCOUNT])}02`, 61],
    ['a letter that is not ASCII', join(['00', 'A000000727'], ['01', ACCOUNT], ['02', 'é']), 65],
  ])('refuses a beneficiary with %s', (_name, beneficiary, position) => {
    expect(positionOf(withObject('38', beneficiary))).toBe(position)
  })

  it('takes 512 characters, and no more', () => {
    const start = join(...STATIC)
    const filled = (length: number): string => {
      const room = length - start.length - 8
      const full = Array.from({ length: 4 }, (_, index) => [String(80 + index), 'x'.repeat(80)] as const)
      return sealed(start + join(...full, ['99', 'x'.repeat(room - 4 * 84 - 4)]))
    }
    expect(filled(512)).toHaveLength(512)
    expect(checkVietQr(filled(512))).toEqual({ ok: true })
    expect(positionOf(filled(513))).toBe(512)
    expect(positionOf('0'.repeat(200_000))).toBeLessThan(512)
  })

  it('gives the first of several faults', () => {
    expect(positionOf(withObject('53', '840').replace('5802VN', '5802TH'))).toBe(77)
    expect(positionOf(`${sealed(join(...STATIC)).slice(0, -4)}0000x`)).toBe(90)
  })

  it('never fails, and always names a place in the text', () => {
    const digits = fc.stringMatching(/^[0-9]{0,120}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), digits), (text) => {
        const position = positionOf(text)
        expect(position).not.toBeNull()
        expect(position).toBeGreaterThanOrEqual(0)
        expect(position).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 400 },
    )
  })
})
