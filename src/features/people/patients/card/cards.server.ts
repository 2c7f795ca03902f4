import { toString as qrCode } from 'qrcode'
import { namedPatient } from '~/policy/on.server'
import { query } from '~/server/operation'
import { cardCode } from './card'
import { PatientIdInput } from '../patient'

/** The code of a patient's card, as digits and as an SVG that opens the record when it is scanned into a search. */
export const patientCard = query('patients.card', {
  access: 'record',
  on: namedPatient(),
  input: PatientIdInput,
  async run(_ctx, { patientId }) {
    const code = cardCode(patientId)
    return { code, svg: await qrCode(code, { type: 'svg', margin: 2 }) }
  },
})
