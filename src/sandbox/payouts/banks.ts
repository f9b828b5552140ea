/** A bank as the required fields of a payout method list it (gap sheet, section 17). */
export type Bank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** Returns the banks of a currency; two fictional banks when none are known. */
export function banksOf(currency: string): readonly Bank[] {
  const rows = ROWS[currency] ?? [
    [`${currency}001`, 'First Sandbox Bank', 'First'],
    [`${currency}002`, 'Second Sandbox Bank', null],
  ]
  return rows.map(([code, name, shortName]) => ({ code, name, shortName }))
}

type Row = readonly [code: string, name: string, shortName: string | null]

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  JPY: [
    ['0001', 'First Sandbox Bank', 'First'],
    ['0005', 'Second Sandbox Bank', null],
  ],
  VND: [
    ['970436', 'Vietcombank', 'VCB'],
    ['970415', 'VietinBank', 'CTG'],
    ['970418', 'BIDV', null],
  ],
  IDR: [
    ['BMRIIDJA', 'Bank Mandiri', 'Mandiri'],
    ['CENAIDJA', 'Bank Central Asia', 'BCA'],
  ],
  PHP: [
    ['600', 'First Sandbox Bank', 'First'],
    ['601', 'Second Sandbox Bank', null],
  ],
}
