import createCode from 'qrcode-generator'

/** Width of the margin around the code in modules; scanners need it (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** The dark modules of a QR code as the data of an SVG path, in a square of `size` units with the margin included. */
export type DrawnCode = { readonly path: string; readonly size: number }

/** Draws the smallest QR code with error correction of level M that holds the content. Throws if there is none. */
export function drawQrCode(content: string): DrawnCode {
  const code = createCode(0, 'M')
  code.addData(content)
  code.make()
  const count = code.getModuleCount()
  const modules = Array.from({ length: count * count }, (_, at) => [Math.floor(at / count), at % count] as const)
  const path = modules
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`)
    .join('')
  return { path, size: count + 2 * QUIET_ZONE }
}
