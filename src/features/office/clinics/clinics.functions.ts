import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as clinics from './clinics.server'
import * as departments from './departments.server'

const post = { method: 'POST' } as const

export const listClinics = createServerFn()
  .validator(inputOf(clinics.listClinics))
  .handler(serve(clinics.listClinics))
export const listClinicNames = createServerFn()
  .validator(inputOf(clinics.listClinicNames))
  .handler(serve(clinics.listClinicNames))
export const getClinic = createServerFn()
  .validator(inputOf(clinics.getClinic))
  .handler(serve(clinics.getClinic))
export const saveClinic = createServerFn(post)
  .validator(inputOf(clinics.saveClinic))
  .handler(serve(clinics.saveClinic))
export const archiveClinic = createServerFn(post)
  .validator(inputOf(clinics.archiveClinic))
  .handler(serve(clinics.archiveClinic))
export const restoreClinic = createServerFn(post)
  .validator(inputOf(clinics.restoreClinic))
  .handler(serve(clinics.restoreClinic))
export const deleteClinic = createServerFn(post)
  .validator(inputOf(clinics.deleteClinic))
  .handler(serve(clinics.deleteClinic))

export const saveDepartment = createServerFn(post)
  .validator(inputOf(departments.saveDepartment))
  .handler(serve(departments.saveDepartment))
export const setDepartmentStatus = createServerFn(post)
  .validator(inputOf(departments.setDepartmentStatus))
  .handler(serve(departments.setDepartmentStatus))
export const toggleCapability = createServerFn(post)
  .validator(inputOf(departments.toggleCapability))
  .handler(serve(departments.toggleCapability))
export const deleteDepartment = createServerFn(post)
  .validator(inputOf(departments.deleteDepartment))
  .handler(serve(departments.deleteDepartment))
export const listDepartmentNames = createServerFn()
  .validator(inputOf(departments.listDepartmentNames))
  .handler(serve(departments.listDepartmentNames))
