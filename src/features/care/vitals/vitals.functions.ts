import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as vitals from './vitals.server'
import * as growth from './growth/growth.server'

const post = { method: 'POST' } as const

export const listVitals = createServerFn()
  .validator(inputOf(vitals.listVitals))
  .handler(serve(vitals.listVitals))
export const latestVital = createServerFn()
  .validator(inputOf(vitals.latestVital))
  .handler(serve(vitals.latestVital))
export const vitalTrend = createServerFn()
  .validator(inputOf(vitals.vitalTrend))
  .handler(serve(vitals.vitalTrend))
export const saveVital = createServerFn(post)
  .validator(inputOf(vitals.saveVital))
  .handler(serve(vitals.saveVital))
export const deleteVital = createServerFn(post)
  .validator(inputOf(vitals.deleteVital))
  .handler(serve(vitals.deleteVital))
export const childGrowth = createServerFn()
  .validator(inputOf(growth.childGrowth))
  .handler(serve(growth.childGrowth))
