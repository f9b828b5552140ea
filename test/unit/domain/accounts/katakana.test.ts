import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHalfWidthKatakana } from '../../../../src/domain/accounts/deposit-rules.ts'

function converted(text: string): string {
  const result = toHalfWidthKatakana(text)
  if (!result.ok) throw new Error(`refused at ${result.position}`)
  return result.text
}

const codePoints = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index))

const KANA_BLOCKS = [...codePoints(0x3040, 0x30ff), ...codePoints(0x31f0, 0x31ff)]

/** Kana, marks and unassigned code points of the kana blocks without a half-width form. */
const WITHOUT_FORM = new Set(
  '\u3040\u3097\u3098ゎゐゑゕゖゝゞゟ゠ヮヰヱヵヶヸヹヽヾヿ\u3099\u309a'.concat(codePoints(0x31f0, 0x31ff).join('')),
)

describe('toHalfWidthKatakana', () => {
  it.each([
    ['アイウエオカキクケコサシスセソタチツテトナニヌネノ', 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉ'],
    ['ハヒフヘホマミムメモヤユヨラリルレロワヲン', 'ﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ'],
    ['あいうえおかきくけこさしすせそたちつてとなにぬねの', 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉ'],
    ['はひふへほまみむめもやゆよらりるれろわをん', 'ﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ'],
    ['ガギグゲゴザジズゼゾダヂヅデド', 'ｶﾞｷﾞｸﾞｹﾞｺﾞｻﾞｼﾞｽﾞｾﾞｿﾞﾀﾞﾁﾞﾂﾞﾃﾞﾄﾞ'],
    ['がぎぐげござじずぜぞだぢづでど', 'ｶﾞｷﾞｸﾞｹﾞｺﾞｻﾞｼﾞｽﾞｾﾞｿﾞﾀﾞﾁﾞﾂﾞﾃﾞﾄﾞ'],
    ['バビブベボパピプペポばびぶべぼぱぴぷぺぽ', 'ﾊﾞﾋﾞﾌﾞﾍﾞﾎﾞﾊﾟﾋﾟﾌﾟﾍﾟﾎﾟﾊﾞﾋﾞﾌﾞﾍﾞﾎﾞﾊﾟﾋﾟﾌﾟﾍﾟﾎﾟ'],
    ['ヴゔヷヺ', 'ｳﾞｳﾞﾜﾞｦﾞ'],
    ['ァィゥェォッャュョぁぃぅぇぉっゃゅょ', 'ｧｨｩｪｫｯｬｭｮｧｨｩｪｫｯｬｭｮ'],
    ['ー・「」、。゛゜', 'ｰ･｢｣､｡ﾞﾟ'],
    ['か\u3099は\u309aハ\u3099ウ\u3099', 'ｶﾞﾊﾟﾊﾞｳﾞ'],
    ['ヤマダ　タロウ やまだ', 'ﾔﾏﾀﾞ ﾀﾛｳ ﾔﾏﾀﾞ'],
    ['ﾔﾏﾀﾞ ﾀﾛｳ', 'ﾔﾏﾀﾞ ﾀﾛｳ'],
    ['ｶ\u3099ﾊ\u309aｳ\u3099', 'ｶﾞﾊﾟｳﾞ'],
    ['ヤマダ\u00a0タロウ\u2003ジロウ', 'ﾔﾏﾀﾞ ﾀﾛｳ ｼﾞﾛｳ'],
    ['カ）ヤマダ（ｶ)', 'ｶ)ﾔﾏﾀﾞ(ｶ)'],
    ['アイビ－エム．ジヤパン，１／２', 'ｱｲﾋﾞｰｴﾑ.ｼﾞﾔﾊﾟﾝ,1/2'],
    ['ＪＡバンク ｊａ ja', 'JAﾊﾞﾝｸ JA JA'],
    ['ダイ１２', 'ﾀﾞｲ12'],
    ...Array.from('-‐‑‒–—―⁃−─━﹘﹣－ｰー', (dash): [string, string] => [`ユ${dash}エフ`, 'ﾕｰｴﾌ']),
    ['ビ－ザ', 'ﾋﾞｰｻﾞ'],
    ['－ア １－２ Ａ−Ｂ', '-ｱ 1-2 A-B'],
    ['', ''],
  ])('turns %s into %s', (text, half) => expect(converted(text)).toBe(half))

  it.each(KANA_BLOCKS.filter((kana) => WITHOUT_FORM.has(kana)))('refuses %s, which has no half-width form', (kana) => {
    expect(toHalfWidthKatakana(kana)).toEqual({ ok: false, position: 0, character: kana })
  })

  it.each(KANA_BLOCKS.filter((kana) => !WITHOUT_FORM.has(kana)))('finds the half-width form of %s', (kana) => {
    const wide = /[ぁ-ゔ]/.test(kana) ? String.fromCodePoint((kana.codePointAt(0) ?? 0) + 0x60) : kana
    expect(converted(kana)).toMatch(/^[\uFF61-\uFF9F]{1,2}$/)
    // NFKC converts half-width kana back to full-width kana.
    expect(converted(kana).normalize('NFKC')).toBe(/[゛゜]/.test(kana) ? wide.normalize('NFKC').trim() : wide)
  })

  it.each(codePoints(0xff61, 0xff9f))('leaves %s as it is', (half) => expect(converted(half)).toBe(half))

  it.each([
    ['山田', 0, '山'],
    ['ア\nイ', 1, '\n'],
    ['ﾀﾞ🎉', 2, '🎉'],
    ['ア\uD800', 1, '\uD800'],
    ['\u3099', 0, '\u3099'],
    [' \u3099', 1, '\u3099'],
    ['ン\u3099', 1, '\u3099'],
    ['カ\u309a', 1, '\u309a'],
    ['ガ\u3099', 1, '\u3099'],
    ['ヰ\u3099', 0, 'ヰ'],
    ['E\u0301', 1, '\u0301'],
    ['ア①', 1, '①'],
    ['ア㈱', 1, '㈱'],
    ['ア²', 1, '²'],
    ['ア～', 1, '～'],
    ['ア\u200b', 1, '\u200b'],
  ])('refuses %j at %d', (text, position, character) => {
    expect(toHalfWidthKatakana(text)).toEqual({ ok: false, position, character })
  })

  const kana = fc.string({
    unit: fc.constantFrom(...KANA_BLOCKS, ...codePoints(0xff61, 0xff9f), ' ', '　'),
    maxLength: 40,
  })

  it('gives the characters of bank files alone, and leaves its own results alone; or names what it refuses', () => {
    fc.assert(
      fc.property(fc.oneof(kana, fc.string({ unit: 'binary', maxLength: 20 })), (text) => {
        const result = toHalfWidthKatakana(text)
        const good = result.ok ? text : text.slice(0, result.position)
        expect(converted(good)).toMatch(/^[\uFF61-\uFF9F0-9A-Z().,/ -]*$/)
        expect(converted(converted(good))).toBe(converted(good))
        const refused = result.ok ? '' : result.character
        expect(text.startsWith(refused, good.length)).toBe(true)
        expect(refused === '').toBe(good === text)
      }),
      { numRuns: 300 },
    )
  })

  it('reads composed and decomposed kana alike', () => {
    const composed = KANA_BLOCKS.filter((one) => !WITHOUT_FORM.has(one) && !/[゛゜]/.test(one))
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...composed), maxLength: 40 }), (text) => {
        expect(converted(text.normalize('NFD'))).toBe(converted(text))
      }),
    )
  })
})
