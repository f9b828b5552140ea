import { currencies } from '../../../domain/money/currencies.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentCurrencies: QueryResolvers['paymentCurrencies'] = () => [...currencies]
