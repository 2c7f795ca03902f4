import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as appointments from './appointments.server'
import * as booking from './booking.server'
import * as status from './status.server'

const post = { method: 'POST' } as const

export const listAppointments = createServerFn()
  .validator(inputOf(appointments.listAppointments))
  .handler(serve(appointments.listAppointments))
export const searchAppointments = createServerFn()
  .validator(inputOf(appointments.searchAppointments))
  .handler(serve(appointments.searchAppointments))
export const getAppointment = createServerFn()
  .validator(inputOf(appointments.getAppointment))
  .handler(serve(appointments.getAppointment))
export const appointmentsByPatient = createServerFn()
  .validator(inputOf(appointments.appointmentsByPatient))
  .handler(serve(appointments.appointmentsByPatient))
export const nextAppointment = createServerFn()
  .validator(inputOf(appointments.nextAppointment))
  .handler(serve(appointments.nextAppointment))
export const appointmentCalendar = createServerFn()
  .validator(inputOf(appointments.appointmentCalendar))
  .handler(serve(appointments.appointmentCalendar))
export const saveAppointment = createServerFn(post)
  .validator(inputOf(booking.saveAppointment))
  .handler(serve(booking.saveAppointment))
export const moveAppointment = createServerFn(post)
  .validator(inputOf(booking.moveAppointment))
  .handler(serve(booking.moveAppointment))
export const overlappingAppointments = createServerFn()
  .validator(inputOf(booking.overlappingAppointments))
  .handler(serve(booking.overlappingAppointments))
export const cancelSeries = createServerFn(post)
  .validator(inputOf(booking.cancelSeries))
  .handler(serve(booking.cancelSeries))
export const deleteAppointment = createServerFn(post)
  .validator(inputOf(booking.deleteAppointment))
  .handler(serve(booking.deleteAppointment))
export const setAppointmentStatus = createServerFn(post)
  .validator(inputOf(status.setAppointmentStatus))
  .handler(serve(status.setAppointmentStatus))
