import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as versions from './event-form-versions.server'
import * as forms from './event-forms.server'
import * as starters from './starters.server'

const post = { method: 'POST' } as const

export const listEventForms = createServerFn()
  .validator(inputOf(forms.listEventForms))
  .handler(serve(forms.listEventForms))
export const getEventForm = createServerFn().validator(inputOf(forms.getEventForm)).handler(serve(forms.getEventForm))
export const saveEventForm = createServerFn(post)
  .validator(inputOf(forms.saveEventForm))
  .handler(serve(forms.saveEventForm))
export const duplicateEventForm = createServerFn(post)
  .validator(inputOf(forms.duplicateEventForm))
  .handler(serve(forms.duplicateEventForm))
export const setEditable = createServerFn(post).validator(inputOf(forms.setEditable)).handler(serve(forms.setEditable))
export const setSnapshot = createServerFn(post).validator(inputOf(forms.setSnapshot)).handler(serve(forms.setSnapshot))
export const deleteEventForm = createServerFn(post)
  .validator(inputOf(forms.deleteEventForm))
  .handler(serve(forms.deleteEventForm))

export const listVersions = createServerFn()
  .validator(inputOf(versions.listVersions))
  .handler(serve(versions.listVersions))
export const getVersion = createServerFn().validator(inputOf(versions.getVersion)).handler(serve(versions.getVersion))
export const compareVersions = createServerFn()
  .validator(inputOf(versions.compareVersions))
  .handler(serve(versions.compareVersions))

export const listStarters = createServerFn()
  .validator(inputOf(starters.listStarters))
  .handler(serve(starters.listStarters))
export const getStarter = createServerFn().validator(inputOf(starters.getStarter)).handler(serve(starters.getStarter))
export const getStarterUpdate = createServerFn()
  .validator(inputOf(starters.getStarterUpdate))
  .handler(serve(starters.getStarterUpdate))
export const updateFromStarter = createServerFn(post)
  .validator(inputOf(starters.updateFromStarter))
  .handler(serve(starters.updateFromStarter))
export const installStarter = createServerFn(post)
  .validator(inputOf(starters.installStarter))
  .handler(serve(starters.installStarter))
