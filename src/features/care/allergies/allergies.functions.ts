import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as allergies from './allergies.server'

const post = { method: 'POST' } as const

export const listAllergies = createServerFn()
  .validator(inputOf(allergies.listAllergies))
  .handler(serve(allergies.listAllergies))
export const saveAllergy = createServerFn(post)
  .validator(inputOf(allergies.saveAllergy))
  .handler(serve(allergies.saveAllergy))
export const recordNoAllergies = createServerFn(post)
  .validator(inputOf(allergies.recordNoAllergies))
  .handler(serve(allergies.recordNoAllergies))
export const deleteAllergy = createServerFn(post)
  .validator(inputOf(allergies.deleteAllergy))
  .handler(serve(allergies.deleteAllergy))
