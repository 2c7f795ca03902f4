/**
 * Pairs that must not be given together: the 15 that the panel of the US Office of the National Coordinator accepted.
 * Phansalkar S, Desai AA, Bell D, et al. High-priority drug-drug interactions for use in electronic health records. J Am Med
 * Inform Assoc 2012;19:735-743, table 2 (https://pmc.ncbi.nlm.nih.gov/articles/PMC3422823/). The pairs are the paper's; the
 * members are written down under their INN, with what has come to a class since then, and without what was withdrawn
 * everywhere; beside each group stands where its members are from: the WHO's ATC index (https://www.whocc.no/atc_ddd_index/)
 * by its codes, or the FDA's table of inhibitors and inducers (https://www.fda.gov/drugs/drug-interactions-labeling). The paper
 * says that the list is not complete: silence here is no proof of safety.
 */
const groups = {
  // N06AF, N06AG, N04BD, L01XB01; linezolid and methylene blue inhibit MAO as well (FDA Drug Safety Communications of 2011)
  mao_inhibitors: [
    'tranylcypromine',
    'phenelzine',
    'isocarboxazid',
    'procarbazine',
    'selegiline',
    'rasagiline',
    'moclobemide',
    'linezolid',
    'methylthioninium',
  ],
  // N06BA, the sympathomimetics of A08AA, R01BA02
  amphetamines: [
    'amfetamine',
    'dexamfetamine',
    'lisdexamfetamine',
    'metamfetamine',
    'methylphenidate',
    'dexmethylphenidate',
    'phendimetrazine',
    'pseudoephedrine',
    'benzfetamine',
    'amfepramone',
    'phentermine',
    'atomoxetine',
  ],
  atazanavir: ['atazanavir'],
  // A02BC
  proton_pump_inhibitors: [
    'omeprazole',
    'esomeprazole',
    'lansoprazole',
    'dexlansoprazole',
    'pantoprazole',
    'rabeprazole',
  ],
  febuxostat: ['febuxostat'],
  // azathioprine and what it becomes
  thiopurines: ['azathioprine', 'mercaptopurine'],
  // N06AB, and those of N06AX that keep serotonin from being taken up
  serotonergic_antidepressants: [
    'fluoxetine',
    'paroxetine',
    'citalopram',
    'escitalopram',
    'sertraline',
    'fluvoxamine',
    'duloxetine',
    'nefazodone',
    'venlafaxine',
    'desvenlafaxine',
    'milnacipran',
    'vilazodone',
    'vortioxetine',
  ],
  irinotecan: ['irinotecan'],
  // FDA's table, "strong"; the other protease inhibitors are given with ritonavir or cobicistat
  strong_cyp3a4_inhibitors: [
    'ketoconazole',
    'itraconazole',
    'voriconazole',
    'posaconazole',
    'clarithromycin',
    'telithromycin',
    'nefazodone',
    'ritonavir',
    'cobicistat',
    'atazanavir',
    'darunavir',
    'indinavir',
    'lopinavir',
    'nelfinavir',
    'saquinavir',
    'tipranavir',
    'fosamprenavir',
  ],
  // of N02A and R05DA those with a serotonergic effect of their own
  serotonergic_opioids: ['pethidine', 'tramadol', 'tapentadol', 'methadone', 'fentanyl', 'dextromethorphan'],
  // N06AA; cyclobenzaprine (M03BX08) is built like them
  tricyclics: [
    'amitriptyline',
    'nortriptyline',
    'imipramine',
    'clomipramine',
    'desipramine',
    'doxepin',
    'protriptyline',
    'trimipramine',
    'amoxapine',
    'dosulepin',
    'lofepramine',
    'maprotiline',
    'cyclobenzaprine',
  ],
  // those known to cause torsade de pointes: the paper follows the list of Arizona CERT, now https://crediblemeds.org
  qt_prolonging: [
    'amiodarone',
    'arsenic trioxide',
    'chloroquine',
    'chlorpromazine',
    'clarithromycin',
    'disopyramide',
    'dofetilide',
    'domperidone',
    'dronedarone',
    'droperidol',
    'erythromycin',
    'flecainide',
    'halofantrine',
    'haloperidol',
    'ibutilide',
    'methadone',
    'moxifloxacin',
    'pentamidine',
    'pimozide',
    'procainamide',
    'quinidine',
    'sotalol',
    'thioridazine',
    'vandetanib',
  ],
  ramelteon: ['ramelteon'],
  // FDA's table, "strong"
  strong_cyp1a2_inhibitors: ['fluvoxamine', 'ciprofloxacin', 'enoxacin'],
  // FDA's table; phenobarbital and primidone stand there as moderate; kept to be on the safe side
  strong_cyp3a4_inducers: [
    'rifampicin',
    'carbamazepine',
    'phenytoin',
    'fosphenytoin',
    'phenobarbital',
    'primidone',
    "st john's wort",
  ],
  // J05AE
  protease_inhibitors: [
    'atazanavir',
    'darunavir',
    'fosamprenavir',
    'indinavir',
    'lopinavir',
    'nelfinavir',
    'ritonavir',
    'saquinavir',
    'tipranavir',
  ],
  // of C10AA; atorvastatin's label limits the dose instead of forbidding the pair
  statins_by_cyp3a4: ['simvastatin', 'lovastatin'],
  statin_inhibitors: [
    'ketoconazole',
    'itraconazole',
    'voriconazole',
    'posaconazole',
    'clarithromycin',
    'erythromycin',
    'telithromycin',
    'nefazodone',
    'ciclosporin',
    'gemfibrozil',
    'cobicistat',
    'atazanavir',
    'darunavir',
    'fosamprenavir',
    'indinavir',
    'lopinavir',
    'nelfinavir',
    'ritonavir',
    'saquinavir',
    'tipranavir',
  ],
  // N02CA, G02AB
  ergot_alkaloids: ['ergotamine', 'dihydroergotamine', 'ergometrine', 'methylergometrine', 'methysergide'],
  ergot_inhibitors: [
    'ketoconazole',
    'itraconazole',
    'voriconazole',
    'posaconazole',
    'clarithromycin',
    'erythromycin',
    'telithromycin',
    'cobicistat',
    'atazanavir',
    'darunavir',
    'fosamprenavir',
    'indinavir',
    'lopinavir',
    'nelfinavir',
    'ritonavir',
    'saquinavir',
    'tipranavir',
    'efavirenz',
  ],
  tizanidine: ['tizanidine'],
  tranylcypromine: ['tranylcypromine'],
  procarbazine: ['procarbazine'],
  // of N02CC those that MAO itself breaks down
  triptans: ['sumatriptan', 'rizatriptan', 'zolmitriptan'],
} as const satisfies Record<string, readonly string[]>

export type DrugGroup = keyof typeof groups
export const membersOfGroup = (group: DrugGroup): readonly string[] => groups[group]

/** Shown beside the list of pairs. */
export const INTERACTIONS_VERSION = '2026-11'
export const INTERACTION_SOURCE = {
  text: 'Phansalkar S et al., J Am Med Inform Assoc 2012;19:735-743, table 2',
  url: 'https://pmc.ncbi.nlm.nih.gov/articles/PMC3422823/',
}

/** What happens when both are taken; a sentence of the message files each. */
export const EFFECTS = [
  'hypertensiveCrisis',
  'antiviralFails',
  'marrowDepression',
  'serotoninSyndrome',
  'irinotecanToxicity',
  'torsade',
  'sedation',
  'rhabdomyolysis',
  'ergotism',
  'hypotension',
] as const
export type Effect = (typeof EFFECTS)[number]

export const INTERACTIONS = [
  { id: 'amphetamine-mao', groups: ['amphetamines', 'mao_inhibitors'], effect: 'hypertensiveCrisis' },
  { id: 'atazanavir-ppi', groups: ['atazanavir', 'proton_pump_inhibitors'], effect: 'antiviralFails' },
  { id: 'febuxostat-thiopurine', groups: ['febuxostat', 'thiopurines'], effect: 'marrowDepression' },
  { id: 'ssri-mao', groups: ['serotonergic_antidepressants', 'mao_inhibitors'], effect: 'serotoninSyndrome' },
  { id: 'irinotecan-cyp3a4', groups: ['irinotecan', 'strong_cyp3a4_inhibitors'], effect: 'irinotecanToxicity' },
  { id: 'opioid-mao', groups: ['serotonergic_opioids', 'mao_inhibitors'], effect: 'serotoninSyndrome' },
  { id: 'tricyclic-mao', groups: ['tricyclics', 'mao_inhibitors'], effect: 'serotoninSyndrome' },
  { id: 'qt-qt', groups: ['qt_prolonging', 'qt_prolonging'], effect: 'torsade' },
  { id: 'ramelteon-cyp1a2', groups: ['ramelteon', 'strong_cyp1a2_inhibitors'], effect: 'sedation' },
  { id: 'inducer-protease', groups: ['strong_cyp3a4_inducers', 'protease_inhibitors'], effect: 'antiviralFails' },
  { id: 'statin-cyp3a4', groups: ['statins_by_cyp3a4', 'statin_inhibitors'], effect: 'rhabdomyolysis' },
  { id: 'ergot-cyp3a4', groups: ['ergot_alkaloids', 'ergot_inhibitors'], effect: 'ergotism' },
  { id: 'tizanidine-cyp1a2', groups: ['tizanidine', 'strong_cyp1a2_inhibitors'], effect: 'hypotension' },
  { id: 'tranylcypromine-procarbazine', groups: ['tranylcypromine', 'procarbazine'], effect: 'hypertensiveCrisis' },
  { id: 'triptan-mao', groups: ['triptans', 'mao_inhibitors'], effect: 'serotoninSyndrome' },
] as const satisfies readonly { id: string; groups: readonly [DrugGroup, DrugGroup]; effect: Effect }[]
export type Interaction = (typeof INTERACTIONS)[number]

const isIn = (group: DrugGroup, ingredient: string) => (groups[group] as readonly string[]).includes(ingredient)

/** The rule that two different substances break together, if any; the most specific stands last in the list. */
export const interactionOf = (a: string, b: string): Interaction | undefined =>
  a === b
    ? undefined
    : INTERACTIONS.findLast(
        ({ groups: [one, other] }) => (isIn(one, a) && isIn(other, b)) || (isIn(one, b) && isIn(other, a)),
      )

/** Every substance that a rule knows. */
export const interactingIngredients: readonly string[] = [...new Set(Object.values(groups).flat())]
