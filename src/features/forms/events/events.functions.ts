import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as answers from './event-answers.server'
import * as files from './event-files.server'
import * as medicines from './event-medicines.server'
import * as history from './event-history.server'
import * as explore from './explore/explore.server'
import * as charts from './explore/explore-charts.server'
import * as events from './events.server'

const post = { method: 'POST' } as const

export const listEvents = createServerFn()
  .validator(inputOf(events.listEvents))
  .handler(serve(events.listEvents))
export const listSnapshots = createServerFn()
  .validator(inputOf(events.listSnapshots))
  .handler(serve(events.listSnapshots))
export const getEvent = createServerFn()
  .validator(inputOf(events.getEvent))
  .handler(serve(events.getEvent))
export const eventHistory = createServerFn()
  .validator(inputOf(history.eventHistory))
  .handler(serve(history.eventHistory))
export const newEvent = createServerFn()
  .validator(inputOf(events.newEvent))
  .handler(serve(events.newEvent))
export const deleteEvent = createServerFn(post)
  .validator(inputOf(events.deleteEvent))
  .handler(serve(events.deleteEvent))
export const checkMedicines = createServerFn()
  .validator(inputOf(medicines.checkMedicines))
  .handler(serve(medicines.checkMedicines))
export const saveEvent = createServerFn(post)
  .validator(inputOf(answers.saveEvent))
  .handler(serve(answers.saveEvent))
export const saveEventFile = createServerFn(post)
  .validator(inputOf(files.saveEventFile))
  .handler(serve(files.saveEventFile))
export const listByForm = createServerFn()
  .validator(inputOf(explore.listByForm))
  .handler(serve(explore.listByForm))
export const chartsOfForm = createServerFn()
  .validator(inputOf(charts.chartsOfForm))
  .handler(serve(charts.chartsOfForm))
