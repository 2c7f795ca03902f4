import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as emergencies from './emergencies.server'
import * as openings from './openings.server'

const post = { method: 'POST' } as const

export const hiddenHistory = createServerFn()
  .validator(inputOf(openings.hiddenHistory))
  .handler(serve(openings.hiddenHistory))
export const openHistory = createServerFn(post)
  .validator(inputOf(openings.openHistory))
  .handler(serve(openings.openHistory))
export const closeOpening = createServerFn(post)
  .validator(inputOf(openings.closeOpening))
  .handler(serve(openings.closeOpening))
export const listOpenings = createServerFn()
  .validator(inputOf(openings.listOpenings))
  .handler(serve(openings.listOpenings))
export const openEmergency = createServerFn(post)
  .validator(inputOf(emergencies.openEmergency))
  .handler(serve(emergencies.openEmergency))
export const listEmergencies = createServerFn()
  .validator(inputOf(emergencies.listEmergencies))
  .handler(serve(emergencies.listEmergencies))
export const reviewEmergency = createServerFn(post)
  .validator(inputOf(emergencies.reviewEmergency))
  .handler(serve(emergencies.reviewEmergency))
