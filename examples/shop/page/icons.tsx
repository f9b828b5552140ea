/** The shop's own pictures: kinds of payment methods of 32 units, and things for sale of 56. */

/** The sign of the shop. */
export function ShopMark() {
  return (
    <svg class="shop-mark" width="28" height="28" viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="14" cy="14" r="14" fill="var(--brand)" />
      <path
        d="M6.5 16.5c2.5 0 2.5-2 5-2s2.5 2 5 2 2.5-2 5-2M8.5 20.5c2 0 2-1.5 4-1.5s2 1.5 4 1.5 2-1.5 3.5-1.5M14 12V6.5l4.5 4z"
        fill="none"
        stroke="var(--on-brand)"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

/** The filled part and the lines of the picture of each kind of method. */
const KINDS: Readonly<Record<string, readonly [filled: string, lines: string]>> = {
  CARD: ['M3.5 10.5a3 3 0 0 1 3-3h19a3 3 0 0 1 3 3v11a3 3 0 0 1-3 3h-19a3 3 0 0 1-3-3z', 'M3.5 12.5h25M7.5 20h5'],
  ALIAS: [
    'M14 6.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 1 1 0-19',
    'M14 12.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 1 1 0-7M17.5 12.5v5c0 3 5 2.5 5-2M24.5 21.5h5M27.5 19l2.5 2.5-2.5 2.5',
  ],
  BANK_TRANSFER: ['M4 12.5L16 5.5l12 7z', 'M7.5 13v9M13.2 13v9M18.8 13v9M24.5 13v9M4 26h24'],
  EWALLET: [
    'M4.5 10.5a3 3 0 0 1 3-3h15.5v4M4.5 10.5v12a3 3 0 0 0 3 3h17a3 3 0 0 0 3-3v-8a3 3 0 0 0-3-3h-18.5',
    'M27.5 16h-5a2.5 2.5 0 0 0 0 5h5',
  ],
  MOBILE_MONEY: [
    'M9.5 6.5a3 3 0 0 1 3-3h7a3 3 0 0 1 3 3v19a3 3 0 0 1-3 3h-7a3 3 0 0 1-3-3z',
    'M14.5 25h3M13 14.5l2.3 2.3 4-4.4',
  ],
  QR: [
    'M5 5h8v8H5zM19 5h8v8h-8zM5 19h8v8H5z',
    'M8.7 9h.6M22.7 9h.6M8.7 23h.6M19 19h3v3M27 19v.01M27 24v3h-3.5M19 26.5v.5',
  ],
  ANY: [
    'M4.5 9.5a3 3 0 0 1 3-3h17a3 3 0 0 1 3 3v13a3 3 0 0 1-3 3h-17a3 3 0 0 1-3-3z',
    'M4.5 11.5h23M8 9h.01M11 9h.01M12 18.5h8M17 15.5l3 3-3 3',
  ],
}

/** The picture of a kind of method; a bank for a kind that has none of its own. */
export function KindPicture({ kind }: { readonly kind: string }) {
  const [filled, lines] = KINDS[kind] ?? KINDS['BANK_TRANSFER'] ?? []
  return (
    <svg class="pic" viewBox="0 0 32 32" aria-hidden="true">
      <path class="f" d={filled} />
      <path d={lines} />
    </svg>
  )
}

/** Shapes of the things for sale, each with the share of the merchant's colour in it. */
const THINGS: Readonly<Record<string, readonly (readonly [share: number, path: string])[]>> = {
  beans: [
    [100, 'M18 17h20l2 28H16z'],
    [70, 'M19 11h18l-1 6H20z'],
    [0, 'M26 26c3-3 8 2 4 8-3 5-8 3-7-2 .4-2.6 1.6-4.6 3-6z'],
  ],
  cup: [
    [100, 'M14 21h24v10a12 12 0 0 1-24 0z'],
    [100, 'M38 22.500h2.500a6.5 6.5 0 0 1 0 13H36l1-3h3.500a3.5 3.5 0 0 0 0-7H38z'],
    [60, 'M13 45h27v2.500H13z'],
  ],
  sticker: [
    [100, 'M28 13a15 15 0 0 1 15 15L28 43a15 15 0 0 1 0-30z'],
    [60, 'M43 28L28 43c0-9 6-15 15-15z'],
  ],
  machine: [
    [100, 'M14 12h28v8H14zM14 40h28v5H14zM14 20h10v20H14z'],
    [60, 'M28 20h8v5h-8zM27 34h11v6H27z'],
  ],
}

/** The picture of a thing for sale. */
export function Thing({ sku }: { readonly sku: string }) {
  return (
    <svg class="thing" viewBox="0 0 56 56" aria-hidden="true">
      <rect width="56" height="56" rx="10" fill="var(--brand-tint)" />
      {(THINGS[sku] ?? []).map(([share, path]) => (
        <path key={path} d={path} fill={`color-mix(in srgb, var(--brand) ${share}%, var(--brand-tint))`} />
      ))}
    </svg>
  )
}
