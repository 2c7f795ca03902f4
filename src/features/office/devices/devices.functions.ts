import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as values from './conflicts.server'
import * as phones from './devices.server'
import * as rows from './quarantine.server'

export const listPhones = createServerFn()
  .validator(inputOf(phones.listPhones))
  .handler(serve(phones.listPhones))
export const countWaiting = createServerFn()
  .validator(inputOf(phones.countWaiting))
  .handler(serve(phones.countWaiting))
export const listRefused = createServerFn()
  .validator(inputOf(rows.listRefused))
  .handler(serve(rows.listRefused))
export const getRefused = createServerFn()
  .validator(inputOf(rows.getRefused))
  .handler(serve(rows.getRefused))
export const applyRefused = createServerFn({ method: 'POST' })
  .validator(inputOf(rows.applyRefused))
  .handler(serve(rows.applyRefused))
export const rejectRefused = createServerFn({ method: 'POST' })
  .validator(inputOf(rows.rejectRefused))
  .handler(serve(rows.rejectRefused))
export const listConflicts = createServerFn()
  .validator(inputOf(values.listConflicts))
  .handler(serve(values.listConflicts))
export const settleConflict = createServerFn({ method: 'POST' })
  .validator(inputOf(values.settleConflict))
  .handler(serve(values.settleConflict))
