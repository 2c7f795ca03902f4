import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as medicines from './medicines.server'

const post = { method: 'POST' } as const

export const listMedicines = createServerFn()
  .validator(inputOf(medicines.listMedicines))
  .handler(serve(medicines.listMedicines))
export const saveMedicine = createServerFn(post)
  .validator(inputOf(medicines.saveMedicine))
  .handler(serve(medicines.saveMedicine))
export const deleteMedicine = createServerFn(post)
  .validator(inputOf(medicines.deleteMedicine))
  .handler(serve(medicines.deleteMedicine))
