import { expect, test } from 'vitest'
import list from './tall-man.json'
import { lookAlikes, tallMan } from './tall-man'

test('names of the list are shown with their own letters in capitals, whatever was typed', () => {
  expect(
    ['Prednisolone', 'PREDNISONE', 'metformin hydrochloride', 'Chlorpromazine'].map(tallMan),
  ).toEqual(['prednisoLONE', 'predniSONE', 'metFORMIN hydrochloride', 'chlorproMAZINE'])
  expect(['Paracetamol', 'أموكسيسيلين', 'Amoxicillin + clavulanic acid'].map(tallMan)).toEqual([
    'Paracetamol',
    'أموكسيسيلين',
    'Amoxicillin + clavulanic acid',
  ])
})

test('a name knows what it is mistaken for', () => {
  expect(lookAlikes('Prednisolone')).toEqual(['predniSONE'])
  expect(lookAlikes('Clonazepam').toSorted()).toEqual(['ALPRAZolam', 'LORazepam', 'cloNIDine'])
  expect(lookAlikes('Paracetamol')).toEqual([])
})

test('capitals change no letter, and each set has at least two names', () => {
  expect(list.sets.every((set) => set.length > 1)).toBe(true)
  expect(list.sets.flat().filter((name) => tallMan(name.toLowerCase()) !== name)).toEqual([])
})
