import { date, number, optional, text } from '~/fields/field'
import { currency, LARGEST_QUANTITY } from './drug'
import { record } from './record'

export const batchRecord = record('drug_batches', {
  batch_number: {
    field: text('batches.number', {
      max: 60,
      requiredMessage: 'batches.numberRequired',
      isCode: true,
    }),
  },
  expiry_date: { field: date('batches.expiry', { month: 'last', readAs: 'batches.expiresOn' }) },
  manufacture_date: { field: optional(date('batches.manufactured', { month: 'first' })) },
  supplier_name: { field: optional(text('batches.supplier')) },
  purchase_price: { field: optional(number('batches.price', { min: 0, max: LARGEST_QUANTITY })) },
  purchase_currency: { field: currency('drugs.sale_currency') },
  received_date: { field: date('batches.received') },
})
