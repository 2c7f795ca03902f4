import type { Resource } from '../resource'
import { allergyIntolerance } from './allergy-intolerance'
import { appointment } from './appointment'
import { condition } from './condition'
import { encounter } from './encounter'
import { episodeOfCare } from './episode-of-care'
import { immunization } from './immunization'
import { medication } from './medication'
import { medicationDispense } from './medication-dispense'
import { medicationRequest } from './medication-request'
import { medicationStatement } from './medication-statement'
import { observation } from './observation'
import { patient } from './patient'
import { questionnaire } from './questionnaire'
import { questionnaireResponse } from './questionnaire-response'
import { serviceRequest } from './service-request'
import { auditEvent } from './audit-event'
import { group } from './group'
import { location } from './location'
import { organization } from './organization'
import { practitioner } from './practitioner'
import { practitionerRole } from './practitioner-role'
import { provenance } from './provenance'

/** Every type that Sanad answers, in the order of the CapabilityStatement. */
export const RESOURCES: readonly Resource[] = [
  patient,
  encounter,
  observation,
  condition,
  allergyIntolerance,
  medicationRequest,
  medicationDispense,
  medicationStatement,
  medication,
  immunization,
  episodeOfCare,
  serviceRequest,
  appointment,
  questionnaire,
  questionnaireResponse,
  practitioner,
  practitionerRole,
  organization,
  location,
  group,
  auditEvent,
  provenance,
]

const byType = new Map(RESOURCES.map((each) => [each.type, each]))

export const resourceOf = (type: string): Resource | undefined => byType.get(type)
