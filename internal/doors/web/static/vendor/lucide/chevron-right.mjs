/**
 * @license lucide v1.65.0 - ISC
 *
 * This source code is licensed under the ISC license.
 * See the LICENSE file in the root directory of this source tree.
 */

const ChevronRight = [["path", { d: "m9 18 6-6-6-6" }]];

export { ChevronRight as default };
//# sourceMappingURL=chevron-right.mjs.map
