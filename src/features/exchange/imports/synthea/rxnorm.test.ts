import { expect, test } from 'vitest'
import { readRxNorm } from './rxnorm'

test.for([
  [
    'lisinopril 10 MG Oral Tablet',
    {
      generic_name: 'Lisinopril',
      ingredients: ['lisinopril'],
      form: 'tablet',
      route: 'oral',
      dosage_quantity: 10,
      dosage_units: 'mg',
    },
  ],
  [
    'Acetaminophen 325 MG / HYDROcodone Bitartrate 7.5 MG Oral Tablet',
    {
      generic_name: 'Acetaminophen + Hydrocodone bitartrate',
      ingredients: ['paracetamol', 'hydrocodone'],
      dosage_quantity: null,
    },
  ],
  [
    'Acetaminophen 325 MG Oral Tablet [Tylenol]',
    { brand_name: 'Tylenol', ingredients: ['paracetamol'] },
  ],
  [
    'NDA020503 200 ACTUAT Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler',
    { ingredients: ['salbutamol'], form: 'inhaler', route: 'inhalation', dosage_quantity: 0.09 },
  ],
  [
    'NDA020800 0.3 ML Epinephrine 1 MG/ML Auto-Injector',
    { ingredients: ['epinephrine'], form: 'injection', route: 'other' },
  ],
  [
    'Amoxicillin 250 MG / Clavulanate 125 MG Oral Tablet',
    { ingredients: ['amoxicillin', 'clavulanic acid'] },
  ],
  ['ferrous sulfate 325 MG Oral Tablet', { ingredients: ['ferrous sulfate'] }],
  // names of packages tell no substance
  [
    'Jolivette 28 Day Pack',
    { generic_name: 'Jolivette 28 Day Pack', ingredients: [], form: 'other', route: 'other' },
  ],
  ['NuvaRing 0.12/0.015 MG per 24HR 21 Day Vaginal Ring', { ingredients: [], route: 'vaginal' }],
] as const)('%s is read', ([name, read]) => {
  expect(readRxNorm(name)).toMatchObject(read)
})
