import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as administration from './administration.server'
import * as stock from './stock-summary.server'
import * as summary from './summary.server'

const post = { method: 'POST' } as const

export const getStats = createServerFn()
  .validator(inputOf(summary.summaryStats))
  .handler(serve(summary.summaryStats))
export const getDay = createServerFn()
  .validator(inputOf(summary.summaryDay))
  .handler(serve(summary.summaryDay))
export const getStock = createServerFn()
  .validator(inputOf(stock.summaryStock))
  .handler(serve(stock.summaryStock))
export const getTrends = createServerFn()
  .validator(inputOf(administration.summaryTrends))
  .handler(serve(administration.summaryTrends))
export const getCare = createServerFn()
  .validator(inputOf(administration.summaryCare))
  .handler(serve(administration.summaryCare))
export const getChecklist = createServerFn()
  .validator(inputOf(administration.getChecklist))
  .handler(serve(administration.getChecklist))
export const dismissNotice = createServerFn(post)
  .validator(inputOf(administration.dismissNotice))
  .handler(serve(administration.dismissNotice))
export const recallNotice = createServerFn(post)
  .validator(inputOf(administration.recallNotice))
  .handler(serve(administration.recallNotice))
