import type { FhirType } from '~/shared/fhir-scopes'
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

const BY_TYPE: Readonly<Record<FhirType, Resource>> = {
  Patient: patient,
  Encounter: encounter,
  Observation: observation,
  Condition: condition,
  AllergyIntolerance: allergyIntolerance,
  MedicationRequest: medicationRequest,
  MedicationDispense: medicationDispense,
  MedicationStatement: medicationStatement,
  Medication: medication,
  Immunization: immunization,
  EpisodeOfCare: episodeOfCare,
  ServiceRequest: serviceRequest,
  Appointment: appointment,
  Questionnaire: questionnaire,
  QuestionnaireResponse: questionnaireResponse,
  Practitioner: practitioner,
  PractitionerRole: practitionerRole,
  Organization: organization,
  Location: location,
  Group: group,
  AuditEvent: auditEvent,
  Provenance: provenance,
}

/** Every type that Sanad answers, in the order of the CapabilityStatement. */
export const RESOURCES: readonly Resource[] = Object.values(BY_TYPE)

export const findFhirResource = (type: string): Resource | undefined =>
  RESOURCES.find((each) => each.type === type)
