/**
 * @license lucide v1.65.0 - ISC
 *
 * This source code is licensed under the ISC license.
 * See the LICENSE file in the root directory of this source tree.
 */

const ChevronLeft = [["path", { d: "m15 18-6-6 6-6" }]];

export { ChevronLeft as default };
//# sourceMappingURL=chevron-left.mjs.map
