import { formatAmount } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'
import type { Catalogue } from '../shop-server.ts'
import type { BasketLine } from './basket.ts'

type BasketTableProps = {
  readonly catalogue: Catalogue
  readonly lines: readonly BasketLine[]
  readonly most: number
  readonly onQuantity: (sku: string, quantity: number) => void
}

/** The items for sale, and their quantities in the basket. */
export function BasketTable({ catalogue, lines, most, onQuantity }: BasketTableProps) {
  const { language, texts } = useSpeech()
  const nameOf = (sku: string) => catalogue.items.find((item) => item.sku === sku)?.names[language] ?? sku
  return (
    <table class="basket">
      <thead>
        <tr>
          <th scope="col">{texts.item}</th>
          <th scope="col" class="figure">
            {texts.price}
          </th>
          <th scope="col">{texts.quantity}</th>
          <th scope="col" class="figure">
            {texts.sum}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ sku, quantity, price, sum }) => (
          <tr key={sku}>
            <th scope="row">{nameOf(sku)}</th>
            <td class="figure">{formatAmount(price, language)}</td>
            <td>
              <input
                type="number"
                aria-label={texts.quantityOf(nameOf(sku))}
                min={0}
                max={most}
                value={quantity}
                onInput={({ currentTarget }) => onQuantity(sku, quantityIn(currentTarget, most))}
              />
            </td>
            <td class="figure">{formatAmount(sum, language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Converts any input to a whole number within bounds. */
function quantityIn({ valueAsNumber }: HTMLInputElement, most: number): number {
  return Number.isNaN(valueAsNumber) ? 0 : Math.min(Math.max(Math.trunc(valueAsNumber), 0), most)
}
