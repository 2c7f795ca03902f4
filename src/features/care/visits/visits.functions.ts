import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as visits from './visits.server'

const post = { method: 'POST' } as const

export const listVisits = createServerFn()
  .validator(inputOf(visits.listVisits))
  .handler(serve(visits.listVisits))
export const openVisits = createServerFn()
  .validator(inputOf(visits.openVisits))
  .handler(serve(visits.openVisits))
export const getVisit = createServerFn()
  .validator(inputOf(visits.getVisit))
  .handler(serve(visits.getVisit))
export const saveVisit = createServerFn(post)
  .validator(inputOf(visits.saveVisit))
  .handler(serve(visits.saveVisit))
export const closeVisit = createServerFn(post)
  .validator(inputOf(visits.closeVisit))
  .handler(serve(visits.closeVisit))
export const reopenVisit = createServerFn(post)
  .validator(inputOf(visits.reopenVisit))
  .handler(serve(visits.reopenVisit))
export const deleteVisit = createServerFn(post)
  .validator(inputOf(visits.deleteVisit))
  .handler(serve(visits.deleteVisit))
