import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as history from './history.server'
import * as patients from './patients.server'
import * as photos from './photos/photos.server'

const post = { method: 'POST' } as const

export const getPatient = createServerFn()
  .validator(inputOf(patients.getPatient))
  .handler(serve(patients.getPatient))
export const createPatient = createServerFn(post)
  .validator(inputOf(patients.createPatient))
  .handler(serve(patients.createPatient))
export const savePatient = createServerFn(post)
  .validator(inputOf(patients.savePatient))
  .handler(serve(patients.savePatient))

export const savePhoto = createServerFn(post)
  .validator(inputOf(photos.savePhoto))
  .handler(serve(photos.savePhoto))
export const deletePhoto = createServerFn(post)
  .validator(inputOf(photos.deletePhoto))
  .handler(serve(photos.deletePhoto))

export const patientRights = createServerFn()
  .validator(inputOf(history.patientRights))
  .handler(serve(history.patientRights))
